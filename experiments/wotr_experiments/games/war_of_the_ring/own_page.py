"""What web pages show of War of the Ring."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.setups import position_from, setup_of
from wotr_experiments.games import OwnPage
from wotr_experiments.games.war_of_the_ring.board import board_data
from wotr_experiments.games.war_of_the_ring.marks import Marks
from wotr_experiments.games.war_of_the_ring.odds import odds_of, odds_under_way
from wotr_experiments.games.war_of_the_ring.reports.replay_stage import MapStage

PAGE = OwnPage(
    module="war_of_the_ring/table.js",
    board=board_data,
    stage=MapStage,
    odds_of=odds_of,
    odds_under_way=odds_under_way,
    marks=Marks,
    setup_of=setup_of,
    position_from=position_from,
)

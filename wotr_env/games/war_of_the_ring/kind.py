"""War of the Ring as a ``GameKind``."""

from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING as WAR_OF_THE_RING

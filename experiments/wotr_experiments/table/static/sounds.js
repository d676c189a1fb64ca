// Short tones for dice, the own turn and the end; off unless switched on.
import { setting } from "./settings.js";

const TONES = { dice: [[320, 0], [400, 0.06]], turn: [[520, 0], [660, 0.12]], end: [[440, 0], [550, 0.15], [660, 0.3]] };
const LENGTH = 0.12; // seconds of a tone
const VOLUME = 0.08;

export class Sounds {
  // What a new state sounds like.
  tell(state, earlier) {
    if (setting("sounds") !== "on" || earlier === null) return;
    if (state.result && !earlier.result) this.play("end");
    else if (state.legal.length && !earlier.legal.length) this.play("turn");
    else if (state.events.some(({ events }) => events.some(({ kind }) => kind === "rolled"))) this.play("dice");
  }

  play(name) {
    this.context ??= new AudioContext();
    const now = this.context.currentTime;
    for (const [pitch, after] of TONES[name]) {
      const [tone, volume] = [this.context.createOscillator(), this.context.createGain()];
      tone.frequency.value = pitch;
      volume.gain.setValueAtTime(VOLUME, now + after);
      volume.gain.exponentialRampToValueAtTime(0.001, now + after + LENGTH);
      tone.connect(volume).connect(this.context.destination);
      tone.start(now + after);
      tone.stop(now + after + LENGTH);
    }
  }
}

// What the page and the server say to each other: REST for lists, one WebSocket for a table.
import { element } from "./elements.js";

const VERSION = 1;
const FIRST_WAIT = 400; // milliseconds before the first attempt to connect again
const LONGEST_WAIT = 8000;
const QUIET = 20000; // milliseconds without a message, after which the page asks whether the line is dead
const PATIENCE = 10000; // milliseconds without an answer, after which it is
const LONGEST_PATIENCE = 60000;
const TICK = 1000;

// Why the server did not do what was asked; passing: whether it may do it a moment later.
export class Failure extends Error {
  constructor(status = 0, words = status ? `the server answers ${status}` : "the server does not answer") {
    super(words);
    this.passing = status === 0 || status === 429 || status >= 500;
  }
}

// What the server answers, as `json`, `text` or `blob`; with a body it is a POST, and the signal may end it by an AbortError.
export async function ask(path, body = null, { kind = "json", headers = {}, signal } = {}) {
  const sent = body === null ? { headers } : { method: "POST", headers: { ...headers, "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const lost = (error) => {
    throw error.name === "AbortError" ? error : new Failure();
  };
  const answer = await fetch(path, { ...sent, signal }).catch(lost);
  if (answer.ok) return answer[kind]().catch(lost);
  const { error } = await answer.json().catch(() => ({}));
  throw new Failure(answer.status, error);
}

const works = new Set(); // that are under way

// Shows whether anything is under way, also to programs that drive the page.
export function setBusy(work, busy) {
  works[busy ? "add" : "delete"](work);
  document.body.dataset.busy = works.size > 0;
}

export function underWay(work) {
  setBusy(work, true);
  return work.finally(() => setBusy(work, false));
}

// Saves the record of a table as a file, as who has this token may have it.
export async function download({ id, token }) {
  const url = URL.createObjectURL(await underWay(ask(`api/tables/${id}/record`, null, { kind: "blob", headers: withToken(token) })));
  element("a", { href: url, download: `${id}.jsonl` }).click();
  URL.revokeObjectURL(url);
}

// The place of a token at the next table of the same people, which is opened if there is none yet.
export function againAt(table, swap) {
  return asSeat(table, "rematch", { swap });
}

// Gives a seat of the lobby back.
export function leaveSeat(table) {
  return asSeat(table, "leave", {});
}

// Sends a report; what the server has stored.
export function reportTo(table, text) {
  return asSeat(table, "report", { text }, "blob");
}

// The luck of a game that is over.
export function luckOf({ id, token }) {
  return ask(`api/tables/${id}/luck`, null, { headers: withToken(token) });
}

function asSeat({ id, token }, what, body, kind) {
  return underWay(ask(`api/tables/${id}/${what}`, body, { kind, headers: withToken(token) }));
}

export function withToken(token) {
  return { Authorization: `Bearer ${token}` };
}

export class Wire {
  // Connects at once, but says hello only when somebody listens; until then it does not try again.
  constructor(table, token) {
    Object.assign(this, { table, token, listens: false, hear: () => {}, linked: () => {} });
    this.form = null; // of the drawings that the page gets, if the server draws the game
    this.number = null; // up to which the page knows what was told
    this.wait = FIRST_WAIT;
    this.up = false; // whether the table has answered
    this.over = false; // whether the link is wrong
    this.due = null; // when it tries to connect again; null: not, or just now
    this.refused = ""; // why the server has ended the last connection
    this.beats = false; // whether a sign of life was asked for since the server was heard last
    this.patience = PATIENCE; // longer after each answer that did not come, because a line may be slow
    this.connect();
    for (const [target, kind] of [[window, "online"], [document, "visibilitychange"]]) {
      target.addEventListener(kind, () => this.retry());
    }
    addEventListener("offline", () => this.lose());
    setInterval(() => this.check(), TICK);
  }

  // hear(message) gets every message, linked(true or false) whether the table is connected.
  listen(listener) {
    Object.assign(this, listener, { listens: true });
    if (this.socket === null) this.connect();
    else this.greet();
  }

  greet() {
    const form = this.form === null ? {} : { form: this.form };
    if (this.listens) this.send({ type: "hello", table: this.table, token: this.token, after: this.number, ...form });
  }

  // From now on the page gets drawings in this form.
  drawIn(form) {
    if (form === this.form) return;
    this.form = form;
    if (this.listens) this.send({ type: "window", form });
  }

  connect() {
    this.due = null;
    const address = new URL("ws", document.baseURI);
    address.protocol = address.protocol.replace("http", "ws");
    const socket = (this.socket = new WebSocket(address));
    this.waits = this.heard = Date.now(); // since when an answer is due, and when the server was heard last
    this.beats = false;
    socket.addEventListener("open", () => {
      this.waits = null;
      this.greet();
    });
    socket.addEventListener("message", ({ data }) => socket === this.socket && this.receive(JSON.parse(data)));
    socket.addEventListener("close", ({ reason }) => socket === this.socket && this.lose(reason));
  }

  receive(message) {
    const now = Date.now();
    if (this.waits !== null && now - this.waits < PATIENCE / 2) this.patience = PATIENCE;
    Object.assign(this, { waits: null, heard: now, beats: false });
    if (message.type === "state") {
      this.number = message.number;
      const back = !this.up;
      this.up = true;
      if (back) {
        this.wait = FIRST_WAIT;
        this.linked(true);
      }
    }
    if (message.type === "error") this.over ||= this.isWrong(message.code);
    this.hear(message);
  }

  // The connection has ended, or is given up.
  lose(reason = "") {
    if (this.socket === null) return;
    const { socket } = this;
    this.socket = null;
    socket.close();
    this.up = false;
    this.refused = reason;
    if (!this.over && this.listens) {
      this.due = Date.now() + this.wait;
      this.timer = setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(LONGEST_WAIT, 2 * this.wait);
    }
    this.linked(false);
  }

  // A line can die without a sign.
  check() {
    const now = Date.now();
    const waited = this.waits === null ? 0 : now - this.waits;
    if (waited > this.patience && this.socket !== null) {
      this.patience = Math.min(LONGEST_PATIENCE, 2 * this.patience);
      this.lose();
    } else if (!this.beats && (waited > this.patience / 2 || now - this.heard > QUIET)) this.beat();
  }

  // Asks for a sign of life.
  beat() {
    this.beats = this.listens && this.send({ type: "beat" });
  }

  // Whether an error says that the link leads nowhere, so that there is no use in trying again.
  isWrong(code) {
    return code === "table" || (code === "message" && this.listens && this.number === null);
  }

  // Connects at once if it waits to, and soon if it has tried for long; else makes sure that the line is alive.
  retry() {
    if (document.hidden) return;
    if (this.due === null) return !this.up && Date.now() - this.waits > PATIENCE / 2 ? this.lose() : this.beat();
    clearTimeout(this.timer);
    this.connect();
  }

  // Whether the message is on its way.
  send(message) {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify({ v: VERSION, ...message }));
    this.waits ??= Date.now();
    return true;
  }
}

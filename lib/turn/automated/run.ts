/** What a code state's script asks for: its controls are serviced, any other call is governed and journaled (R-133…R-136, S-47). */
import type { ScriptCallResult } from "../../sandbox/types.js";
import type { SessionState } from "../../session/state.js";
import { performCall } from "../call.js";
import { scriptPrefix } from "../journal.js";
import { type Begun, JournaledCalls } from "../scripts/journaled-calls.js";
import { judgeScripts, permittedCall, refused } from "../scripts/judged-calls.js";
import { resolveCalledName } from "../surface.js";
import type { Turn } from "../types.js";
import { RunControls } from "./controls.js";

export class AutomatedRun {
  readonly controls: RunControls;
  readonly journaled: JournaledCalls;
  private blocked: string | null = null;
  private readonly slug: string;

  constructor(
    private readonly turn: Turn,
    entered: SessionState,
  ) {
    this.controls = new RunControls(turn, entered, "script");
    this.slug = entered.fields.position ?? "";
    const prefix = scriptPrefix(entered.fields.turnOrdinal ?? 0, entered.fields.visit ?? 0);
    this.journaled = new JournaledCalls(turn, { state: this.slug, prefix, perform: performCall });
  }

  /** A terminal block or a replay that differs: the state has failed, whatever the script does then. */
  get broken(): string | null {
    return this.blocked ?? this.journaled.mismatch;
  }

  call(name: string, args: Record<string, unknown>, index: number): Promise<ScriptCallResult> {
    return this.journaled.inOrder(name, () => this.begin(name, args, index));
  }

  private async begin(name: string, args: Record<string, unknown>, index: number): Promise<Begun> {
    const { turn, journaled, controls } = this;
    const resolved = resolveCalledName(turn.assembly, name);
    const tool = resolved.ok ? resolved.tool : name;
    const call = controls.asked({ callId: journaled.callIdOf(index), tool, args });
    const judged = this.stopped === null ? await judgeScripts(turn, journaled, call) : null;
    const { stopped } = this;
    if (judged === null || stopped !== null) {
      return { running: { ok: false, message: stopped ?? "The script's run is over.", tool } };
    }
    if (judged.kind === "block") {
      if (judged.terminal) this.blocked = judged.reason;
      return { running: refused(turn, call, judged) };
    }
    const permitted = permittedCall(call, judged);
    if (judged.kind === "given" || !controls.serves(tool)) return { running: journaled.perform(permitted) };
    const answer = controls.serve(permitted);
    return { running: answer.refusal ? { ok: false, message: answer.text, tool } : { ok: true, text: answer.text } };
  }

  private get stopped(): string | null {
    return this.blocked ?? this.journaled.stopped;
  }
}

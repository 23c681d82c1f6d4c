/** What a code state's script asks for: its controls are serviced, any other call is governed and journaled (R-133…R-136, S-47). */
import type { ScriptCallResult } from "../../sandbox/types.js";
import type { SessionState } from "../../session/state.js";
import { performCall } from "../call.js";
import { scriptPrefix } from "../journal.js";
import { JournaledCalls } from "../scripts/journaled-calls.js";
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

  async call(name: string, args: Record<string, unknown>, index: number): Promise<ScriptCallResult> {
    const stopped = this.blocked ?? this.journaled.stopped;
    if (stopped !== null) return { ok: false, message: stopped, tool: name };
    const callId = this.journaled.callIdOf(index);
    const resolved = resolveCalledName(this.turn.assembly, name);
    const tool = resolved.ok ? resolved.tool : name;
    const verdict = this.controls.judge(tool, args);
    if (verdict.decision === "block") {
      const { ruleId, reason } = verdict;
      if (verdict.terminal) this.blocked = reason;
      const shown = { state: this.slug, tool, callId, args, reason, rule: ruleId };
      this.turn.emit({ type: "tool-blocked", ...shown, origin: "script" });
      return { ok: false, message: reason, ruleId, tool };
    }
    if (this.controls.serves(tool)) {
      const answer = this.controls.serve({ callId, tool, args: verdict.args });
      return answer.refusal ? { ok: false, message: answer.text, tool } : { ok: true, text: answer.text };
    }
    return this.journaled.perform({ callId, tool, args: verdict.args });
  }
}

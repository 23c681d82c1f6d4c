/** What a script of the agent's asks for: each call governed as the agent's own would be (R-225… ). */
import { judgeCall } from "../../kernel/index.js";
import type { ScriptCallResult } from "../../sandbox/types.js";
import type { Todo } from "../../session/state.js";
import { valuesOf } from "../../session/variables.js";
import { parseTodos } from "../../tools/index.js";
import { shownOutput } from "../emitter.js";
import { resolveCalledName } from "../surface.js";
import type { Turn } from "../types.js";
import { JournaledCalls, type Perform, type PermittedCall } from "./journaled-calls.js";

export class ScriptCalls {
  readonly journaled: JournaledCalls;
  /** A terminal block: the state fails at the end of the batch, whatever the script does then. */
  failure: string | null = null;
  /** The list as the script's last `write_todos` left it. */
  todos: Todo[] | undefined;

  /**
   * @param scope.state - the agent's state, whose rules decide
   * @param scope.prefix - of the evaluation's journal keys
   */
  constructor(
    private readonly turn: Turn,
    private readonly scope: { state: string; prefix: string; perform: Perform },
  ) {
    this.journaled = new JournaledCalls(turn, scope);
  }

  /** What the sandbox asks for call by call. Never rejects. */
  async call(name: string, args: Record<string, unknown>, index: number): Promise<ScriptCallResult> {
    const { turn, scope, journaled } = this;
    const stopped = this.failure ?? journaled.stopped;
    if (stopped !== null) return { ok: false, message: stopped, tool: name };
    const resolved = resolveCalledName(turn.assembly, name);
    const call = { callId: journaled.callIdOf(index), tool: resolved.ok ? resolved.tool : name, args };
    const verdict = judgeCall(turn.machine, turn.assembly.tables, {
      state: scope.state,
      tool: call.tool,
      args,
      origin: "script",
      replyOnly: false,
      variables: valuesOf(turn.writer.state.variables),
      sessionId: turn.sessionId,
    });
    if (verdict.decision === "block") {
      const { ruleId, reason } = verdict;
      if (verdict.terminal) this.failure = reason;
      turn.emit({ type: "tool-blocked", state: scope.state, ...call, reason, rule: ruleId, origin: "script" });
      return { ok: false, message: reason, ruleId, tool: call.tool };
    }
    const permitted = { ...call, args: verdict.args };
    return call.tool === "write_todos" ? this.writeTodos(permitted) : journaled.perform(permitted);
  }

  /** Its effect is part of the step's commit, so it has no journal entry (S-42). */
  private writeTodos({ callId, tool, args }: PermittedCall): ScriptCallResult {
    const shown = { state: this.scope.state, tool, callId, origin: "script" as const };
    this.turn.emit({ type: "tool-called", ...shown, args });
    const parsed = parseTodos(args);
    if (parsed.ok) this.todos = parsed.args.todos;
    const text = parsed.ok
      ? `The list now has ${parsed.args.todos.length} entries.`
      : `The arguments do not fit: ${parsed.problems.join(" ")}`;
    const status = parsed.ok ? "success" : "error";
    this.turn.emit({ type: "tool-result", ...shown, status, durationMs: 0, ...shownOutput(text) });
    return parsed.ok ? { ok: true, text } : { ok: false, message: text, tool };
  }
}

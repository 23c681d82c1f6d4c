/** What a script of the agent's asks for: each call governed as the agent's own would be (R-225… ). */
import type { ScriptCallResult } from "../../sandbox/types.js";
import { modelCallsOf } from "../../session/attempts.js";
import type { Todo } from "../../session/state.js";
import { valuesOf } from "../../session/variables.js";
import { parseTodos } from "../../tools/index.js";
import { shownOutput } from "../emitter.js";
import { resolveCalledName } from "../surface.js";
import type { Turn } from "../types.js";
import { type Begun, JournaledCalls, type Perform, type PermittedCall } from "./journaled-calls.js";
import { judgeScripts, permittedCall, refused } from "./judged-calls.js";

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
  call(name: string, args: Record<string, unknown>, index: number): Promise<ScriptCallResult> {
    return this.journaled.inOrder(name, () => this.begin(name, args, index));
  }

  private async begin(name: string, args: Record<string, unknown>, index: number): Promise<Begun> {
    const { turn, scope, journaled } = this;
    const { state } = turn.writer;
    const resolved = resolveCalledName(turn.assembly, name);
    const tool = resolved.ok ? resolved.tool : name;
    const call = {
      callId: journaled.callIdOf(index),
      tool,
      args,
      state: scope.state,
      origin: "script" as const,
      variables: valuesOf(state.variables),
      modelCalls: modelCallsOf(state),
    };
    const judged = this.stopped === null ? await judgeScripts(turn, journaled, call) : null;
    const { stopped } = this;
    if (judged === null || stopped !== null) {
      return { running: { ok: false, message: stopped ?? "The script's run is over.", tool } };
    }
    if (judged.kind === "block") {
      if (judged.terminal) this.failure = judged.reason;
      return { running: refused(turn, call, judged) };
    }
    const permitted = permittedCall(call, judged);
    const writesTodos = tool === "write_todos" && judged.kind === "run";
    return { running: writesTodos ? this.writeTodos(permitted) : journaled.perform(permitted) };
  }

  private get stopped(): string | null {
    return this.failure ?? this.journaled.stopped;
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

/** Findings about which tools a list names (W-201…W-205, W-211…W-213, W-218, A-61). */
import {
  AUTOMATED_CONTROLS,
  CONTROL_TOOLS,
  DEFAULT_TOOLS,
  NEVER_AUTOMATED,
  offeredTools,
  RESERVED_TOOL_PREFIX,
  UNGRANTABLE,
} from "../../kernel/index.js";
import type { MachineState } from "../../machine/types.js";
import { workflowSlugFromToolName } from "../../spec/index.js";
import { didYouMean, list, type Pass, quote, statesOf } from "./subject.js";
import { isBare, type PlacedEntry, rootEntries } from "./tool-entries.js";

const RUNTIME_TOOLS = new Set([...DEFAULT_TOOLS, ...CONTROL_TOOLS, ...AUTOMATED_CONTROLS, ...UNGRANTABLE]);

/** What one entry's name says, wherever it stands. */
export function checkToolName(pass: Pass, { tool, path, kind, state }: PlacedEntry): void {
  const { subject, host, report } = pass;
  if (tool === "*" || workflowSlugFromToolName(tool) !== null) return;
  if (!RUNTIME_TOOLS.has(tool)) {
    if (tool.startsWith(RESERVED_TOOL_PREFIX)) {
      report({
        code: "tools/unknown-control",
        path,
        message: `There is no tool ${quote(tool)}; the archmax_ tools are ${list(runtimePrefixed())} and archmax_workflow_<slug>.`,
        ...didYouMean(tool, RUNTIME_TOOLS),
      });
    } else if (host.tools?.has(tool) !== true && host.mcp(tool) === "missing") {
      if (kind === "grant") {
        report({
          code: "tools/unknown-mcp-tool",
          path,
          message: `No MCP server offers ${quote(tool)}; correct the name, or the server's \`tools\` and \`disabled\` keys.`,
        });
      }
    } else if (host.tools !== null && !host.tools.has(tool) && host.mcp(tool) === "none") {
      report({
        code: "tools/unknown-host-tool",
        path,
        message: `The host has no tool ${quote(tool)}; it has: ${list(host.tools)}.`,
        ...didYouMean(tool, [...RUNTIME_TOOLS, ...host.tools]),
      });
    }
  }
  if (kind === "denial") return;
  const holder = state === null ? null : (subject.machine.states.get(state) ?? null);
  // The loader reports what an automated state is never offered (W-78).
  if (holder?.automated && NEVER_AUTOMATED.includes(tool)) return;
  if (UNGRANTABLE.includes(tool) || (isHistory(tool) && reachesNonAutomated(pass, holder))) {
    report({
      code: "tools/ungrantable",
      path,
      message: isHistory(tool)
        ? `${quote(tool)} belongs to grader and code states, which have it without a grant; remove it.`
        : `${quote(tool)} cannot be granted; remove it.`,
    });
  } else if (CONTROL_TOOLS.includes(tool) || AUTOMATED_CONTROLS.includes(tool)) {
    report({
      code: "tools/inert-control",
      path,
      message: `${quote(tool)} is always granted and a guard on it narrows nothing; remove the entry, or use a forbid list.`,
    });
  } else if (state === null && host.governance.essentialTools.includes(tool)) {
    report({
      code: "tools/inert-essential",
      path,
      message: `The host grants ${quote(tool)} in every state, so the entry changes nothing; remove it.`,
    });
  }
}

/** W-212 for the workflow's list. */
export function checkRootDenials({ subject, report }: Pass): void {
  if (statesOf(subject).every(({ terminal }) => terminal)) return;
  for (const entry of rootEntries(subject)) {
    if (entry.kind === "denial" && deniesAdvance(entry)) {
      report({
        code: "tools/forbids-advance",
        path: entry.path,
        message: `${quote(entry.tool)} in forbid_always takes archmax_advance away, so no state can be left; deny tools by name.`,
      });
    }
  }
}

/** W-211 (bare denials), W-212 and W-213 for one state's lists. */
export function checkStateDenials(pass: Pass, state: MachineState, entries: readonly PlacedEntry[]): void {
  const { subject, report } = pass;
  const always = rootEntries(subject).filter(({ kind, entry }) => kind === "denial" && isBare(entry));
  const own = entries.filter(({ kind, entry }) => kind === "denial" && isBare(entry));
  const names = (denials: readonly PlacedEntry[], tool: string) =>
    denials.find((denial) => denial.tool === tool || denial.tool === "*");
  for (const { kind, tool, path, entry } of entries) {
    if (kind === "grant") {
      const cancelled = names(always, tool);
      if (cancelled !== undefined) {
        report({
          code: "tools/denied-grant",
          path,
          message: `forbid_always names ${quote(cancelled.tool)}, so ${quote(tool)} stays denied here; remove one of the two.`,
        });
      } else if (names(own, tool) !== undefined) {
        report({
          code: "tools/allow-and-forbid",
          path,
          message: `${quote(tool)} is allowed and forbidden in state ${quote(state.slug)}; forbid wins, so remove one.`,
        });
      }
    } else if (!state.terminal && state.type !== "human" && deniesAdvance({ tool, entry })) {
      report({
        code: "tools/state-forbids-advance",
        path,
        message: `${quote(tool)} takes archmax_advance away from state ${quote(state.slug)}, which then cannot be left.`,
      });
    } else if (tool !== "*" && !isGranted(pass, state.slug, tool)) {
      report({
        code: "tools/forbid-nothing",
        path,
        message: `Nothing grants ${quote(tool)} in state ${quote(state.slug)}, so there is nothing to forbid; remove it.`,
      });
    }
  }
}

/** Whether the tool would be offered if nothing denied anything: asked of the kernel. */
function isGranted({ subject, host }: Pass, state: string, tool: string): boolean {
  const machine = withoutDenials(subject.machine);
  return offeredTools(machine, host.governance, state, { registered: [tool] }).length > 0;
}

function withoutDenials(machine: Pass["subject"]["machine"]): Pass["subject"]["machine"] {
  const states = new Map(
    [...machine.states].map(([slug, state]) => {
      const { forbid: _forbid, ...tools } = state.spec.tools ?? {};
      return [slug, { ...state, spec: { ...state.spec, tools } }];
    }),
  );
  const { forbid_always: _forbidAlways, ...tools } = machine.spec.tools ?? {};
  return { ...machine, states, spec: { ...machine.spec, tools } };
}

function deniesAdvance({ tool, entry }: Pick<PlacedEntry, "tool" | "entry">): boolean {
  return isBare(entry) && (tool === "archmax_advance" || tool === "*");
}

function isHistory(tool: string): boolean {
  return tool === "archmax_get_history";
}

/** A root grant reaches every state of the machine. */
function reachesNonAutomated({ subject }: Pass, holder: MachineState | null): boolean {
  return holder === null ? statesOf(subject).some(({ automated }) => !automated) : !holder.automated;
}

function runtimePrefixed(): string[] {
  return [...RUNTIME_TOOLS].filter((name) => name.startsWith(RESERVED_TOOL_PREFIX) && !UNGRANTABLE.includes(name));
}

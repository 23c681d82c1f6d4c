/** Fuzz of the kernel against its model: the same verdict for every call (R-202, R-205, W-209). */
import * as fc from "fast-check";
import { expect } from "vitest";
import { judgeCall, visibilityFilter } from "../../lib/kernel/index.js";
import { modelArgs, modelPath, modelVerdict, modelVisible } from "./kernel-model.js";
import { Counts, type FuzzRun, parametersOf } from "./run.js";
import { anyCall, asKernel, asProposed, path, world } from "./worlds.js";

export function fuzzVerdicts(run: FuzzRun): Counts {
  const counts = new Counts("verdicts", ["calls", "allowed", "refused", "lines shown", "lines hidden", "differences"]);
  const rules = new Set<string>();
  fc.assert(
    fc.property(world, fc.array(anyCall, { minLength: 1, maxLength: 12 }), fc.array(path), (made, calls, lines) => {
      const { machine, tables } = asKernel(made);
      for (const call of calls) {
        const expected = modelVerdict(made, call);
        const verdict = judgeCall(machine, tables, asProposed(call));
        const found = `${verdict.decision} ${verdict.ruleId}`;
        if (found !== expected) counts.add("differences");
        expect(found, JSON.stringify(call)).toBe(expected);
        if (verdict.decision === "allow") expect(verdict.args, JSON.stringify(call)).toEqual(modelArgs(made, call));
        counts.add("calls");
        counts.add(verdict.decision === "allow" ? "allowed" : "refused");
        rules.add(verdict.ruleId);

        if (!["ls", "glob", "grep"].includes(call.tool)) continue;
        const { state, tool, variables, args } = call;
        const isShown = visibilityFilter(machine, tables, { state, tool, variables, args: { ...args } });
        for (const line of lines) {
          const { path: place, escapes } = modelPath(line);
          const shown = !escapes && !/\p{Cc}/u.test(line) && modelVisible(made, call, place);
          if (!/\p{Cc}/u.test(line)) expect(isShown(line), `${JSON.stringify(call)} ${line}`).toBe(shown);
          counts.add(shown ? "lines shown" : "lines hidden");
        }
      }
    }),
    parametersOf(run),
  );
  counts.add("rules seen", rules.size);
  return counts;
}

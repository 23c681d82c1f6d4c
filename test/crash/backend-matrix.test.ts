/** The world ends at writes to a backend that sessions are kept in: there a step is one document (H-88). */
import { expect, it } from "vitest";
import type { AgentStores } from "../../lib/agent/options.js";
import { createBackendFileStore } from "../../lib/stores/backend/file-store.js";
import { createBackendSessions } from "../../lib/stores/backend/session-store.js";
import { type Backend, createMemoryBackend } from "../../lib/workspace/index.js";
import type { Intercept } from "../harness/wrap-store.js";
import { sampled } from "./sample.js";
import { SCENARIOS } from "./scenarios.js";
import { type Kill, type Mode, runScenario, type WorldStores } from "./world.js";

const MODES: Mode[] = ["before", "after", "answer lost"];
const MINUTES = 60_000;
/** Kill points tried of each scenario in the ordinary run. */
const ORDINARY = 4;

/** What a new process has of the backend: nothing in memory. */
function over(backend: Backend): AgentStores {
  return { sessions: createBackendSessions(backend), files: createBackendFileStore(backend) };
}

function world(): WorldStores {
  const backend = createMemoryBackend();
  const { uploadFiles, delete: remove } = backend;
  if (!uploadFiles || !remove) throw new Error("the backend keeps bytes and deletes");
  let writes = 0;
  const mortal = (intercept: Intercept) => {
    const last = <Answer>(name: string, write: () => Promise<Answer>) =>
      intercept({ name, args: [] }, () => {
        writes += 1;
        return write();
      });
    return over({
      ...backend,
      uploadFiles: (files) => last("upload", () => uploadFiles(files)),
      delete: (path) => last("delete", () => remove(path)),
    });
  };
  // A store is for one process at a time: who looks, or goes on, begins with what the process before it has written.
  let begun = { at: writes, ...over(backend) };
  const present = () => {
    if (begun.at !== writes) begun = { at: writes, ...over(backend) };
    return begun;
  };
  const sessions = new Proxy(begun.sessions, { get: (_, name) => Reflect.get(present().sessions, name) });
  return { stores: { sessions, files: begun.files }, mortal };
}

it.each(SCENARIOS)(
  "H-88 S-33 S-94 $name ends as if nothing had happened, where a backend's write is the last",
  { timeout: 4 * MINUTES },
  async (scenario) => {
    const undisturbed = await runScenario(scenario, null, {}, world());
    const inMemory = await runScenario(scenario, null);
    const kills = undisturbed.ops.flatMap((_, index) => MODES.map((mode): Kill => ({ at: index + 1, mode })));
    const tried = sampled(kills, ORDINARY);
    const different: string[] = [];

    for (const kill of tried) {
      const { result } = await runScenario(scenario, kill, {}, world());
      if (JSON.stringify(result) === JSON.stringify(undisturbed.result)) continue;
      different.push(`${kill.mode} write ${kill.at}`);
      if (different.length === 1) expect.soft(result).toEqual(undisturbed.result);
    }

    console.info(
      `${scenario.name}: ${undisturbed.ops.length} writes; ${tried.length} of ${kills.length} kill points, ${different.length} different`,
    );
    expect(undisturbed.result).toEqual(inMemory.result);
    expect(different).toEqual([]);
  },
);

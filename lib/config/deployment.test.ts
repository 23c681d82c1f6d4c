import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createMemoryBackend } from "../workspace/index.js";
import { checkDeployment, deploymentOf, localReferences, type ParkwayConfig, readTriggers } from "./index.js";

const pattern = { source: ["shop"], "detail-type": ["paid"] };
const config: ParkwayConfig = {
  pricing: { default: { input: 1 } },
  webhooks: {
    "refund/mail": { verify: { scheme: "github", secrets: ["env:MAIL_SECRET", "ssm:mail"] }, map: undefined },
    "refund/free": { verify: { scheme: "none", allowUnsigned: true } },
  },
  events: { paid: { workflow: "refund", trigger: "paid", pattern } },
  schedules: { daily: { workflow: "report", trigger: "daily", schedule: "rate(1 day)" } },
};

it("C-73 a deployment is plain JSON with sorted keys: equal configurations have equal text", () => {
  const { schedules, events, webhooks } = config;
  const reordered = { webhooks: Object.fromEntries(Object.entries(webhooks ?? {}).reverse()), events, schedules };

  const text = JSON.stringify(deploymentOf(config));

  expect(text).toBe(JSON.stringify(deploymentOf(reordered)));
  expect(JSON.parse(text)).toEqual(deploymentOf(config));
  expect(Object.keys(deploymentOf(config).webhooks)).toEqual(["refund/free", "refund/mail"]);
  expect(deploymentOf(config).webhooks["refund/mail"]).not.toHaveProperty("map");
  expect(deploymentOf({})).toEqual({ webhooks: {}, events: {}, schedules: {} });
});

it("H-91 names the mounts for the entrances, which never see their backends", () => {
  const mounts = { "/kb/eu/": createMemoryBackend(), "/A.md": { backend: createMemoryBackend(), governed: true } };

  expect(deploymentOf({ mounts })).toEqual({ webhooks: {}, events: {}, schedules: {}, mountNames: ["A.md", "kb/eu"] });
  expect(deploymentOf({ mounts: {} }).mountNames).toEqual([]);
});

it("N-30 tells references that only one's own machine resolves", () => {
  expect(localReferences(deploymentOf(config))).toEqual([
    { at: "webhooks[refund/mail].verify.secrets[0]", reference: "env:MAIL_SECRET" },
  ]);
});

it("C-73 N-27 tells every entrance that names a workflow or trigger that does not exist", () => {
  const deployment = deploymentOf(config);

  expect(checkDeployment(deployment, { refund: ["free", "mail", "paid"], report: ["daily"] })).toEqual([]);
  expect(checkDeployment(deployment, { refund: ["manual", "free"] })).toEqual([
    { at: "webhooks[refund/mail]", message: 'The workflow "refund" has no trigger "mail"; it declares: free, manual.' },
    { at: "events.paid", message: 'The workflow "refund" has no trigger "paid"; it declares: free, manual.' },
    { at: "schedules.daily", message: 'There is no workflow "report"; there are: refund.' },
  ]);
});

it("C-73 claims nothing of a workflow whose text cannot be read", () => {
  expect(checkDeployment(deploymentOf(config), { refund: null, report: null })).toEqual([]);
});

it("C-73 reads the triggers of a root's workflows", () => {
  const root = mkdtempSync(join(tmpdir(), "parkway-triggers-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const files = {
    "workflows/refund/workflow.yaml":
      'title: R\nruntime: { engine: archmax-harness, version: "3" }\nstates:\n  a: { instructions: x, triggers: { manual: {}, mail: {} }, transitions: [{ to: b }] }\n  b: { instructions: y, triggers: { paid: {} } }\n',
    "workflows/broken/workflow.yaml": "states: [\n",
    "workflows/notes/README.md": "none",
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }

  expect(readTriggers(root)).toEqual({ refund: ["manual", "mail", "paid"], broken: null });
  expect(readTriggers(join(root, "nowhere"))).toEqual({});
});

/** The files of a new workspace. */
import { CASE_YAML } from "./case-yaml.js";
import { ENV_EXAMPLE, GITIGNORE } from "./dot-files.js";
import { FILE_ANSWER_JS } from "./file-answer-js.js";
import { readmeMd } from "./readme-md.js";
import { REPLIES_YAML } from "./replies-yaml.js";
import { SCHEMA_FILE, schemaJson } from "./schema-json.js";
import { SKILL_MD } from "./skill-md.js";
import type { Choices } from "./types.js";
import { workflowYaml } from "./workflow-yaml.js";

export type { Choices } from "./types.js";

/** From the root of the workspace; all but the cassette, which is recorded. */
export function workspaceFiles(choices: Choices): Record<string, string> {
  const workflow = `workflows/${choices.name}`;
  return {
    ".env.example": ENV_EXAMPLE,
    ".gitignore": GITIGNORE,
    [SCHEMA_FILE]: schemaJson(),
    "README.md": readmeMd(choices),
    "skills/house-style/SKILL.md": SKILL_MD,
    [`${workflow}/scripts/file-answer.js`]: FILE_ANSWER_JS,
    [`${workflow}/tests/replies.yaml`]: REPLIES_YAML,
    [`${workflow}/tests/sent-back-once.test.yaml`]: CASE_YAML,
    [`${workflow}/workflow.yaml`]: workflowYaml(choices),
  };
}

export function repliesFile({ name }: Choices): string {
  return `workflows/${name}/tests/replies.yaml`;
}

export function cassetteFile({ name }: Choices): string {
  return `workflows/${name}/tests/sent-back-once.cassette.yaml`;
}

/** `workflows/<slug>/workflow.yaml` of a new workspace: an agent writes, a person decides, a script ends it. */
import { SCHEMA_FILE } from "./schema-json.js";
import type { Choices } from "./types.js";

export function workflowYaml({ title, purpose }: Choices): string {
  // A JSON string is a YAML string, whatever somebody has typed.
  return `# yaml-language-server: $schema=../../${SCHEMA_FILE}
title: ${JSON.stringify(title)}
runtime: { engine: archmax-harness, version: "3" }
instructions: ${JSON.stringify(purpose)}

tools:
  allow_always: [read_file]
skills:
  allow_always: [house-style]

states:
  draft:
    title: Write the answer
    triggers:
      manual:
        description: Answers one message.
        returns:
          - { name: answer, type: string, minLength: 1, description: The answer as a person approved it. }
          - { name: outcome, type: string, enum: [filed], description: How it ended. }
    instructions: >-
      Read skills/house-style/SKILL.md and write an answer to the message. Store it in the variable answer with
      archmax_set_variables and advance to approve. If it comes back with a comment, change what the comment asks for,
      nothing else.
    requires: [answer]
    budget: { maxTurns: 12 }
    transitions:
      - { to: approve, description: The answer is written. }

  approve:
    type: human
    title: Approve the answer
    instructions: Read the answer. Let it go out, or send it back with a comment.
    transitions:
      - { to: file, type: approve, description: Fine as it is. }
      - { to: draft, type: refine, description: Change it as the comment says. }

  file:
    type: code
    title: File the answer
    script: scripts/file-answer.js
    tools:
      allow: [write_file]
`;
}

/** `workflows/<slug>/tests/sent-back-once.test.yaml` of a new workspace. */
export const CASE_YAML = `title: An answer is sent back once, then approved
description: The answer waits for a person, comes back with a comment, and is filed when it is approved.
clock: "2026-01-05"
steps:
  - send: "Are you open on Sundays? Ada"
  - parked: { channel: decision, state: approve }
  - calledTool: { name: read_file, input: { file_path: /house-style/ } }
  - decide: { to: draft, comment: "Say when we open on Saturdays." }
  - parked: { channel: decision, state: approve }
  - trail: { kind: human, to: draft, count: 1 }
  - decide: { to: file }
  - succeeded: true
  - reachedState: file
  - variables: { expect: { outcome: filed } }
  - notCalledTool: { name: write_file }
`;

/** `workflows/<slug>/tests/replies.yaml` of a new workspace: what a model might say, for trying it without one. */
export const REPLIES_YAML = `# What a model might say. The case here was recorded from it, and ARCHMAX_MODEL=script:<this file> runs the workflow on it.
replies:
  - when: { parked: true }
    text: An answer is written and waits for your decision.
  - when: { state: draft, contains: "[decision]" }
    toolCalls:
      - name: archmax_set_variables
        args: { variables: { answer: "Dear Ada, we are closed on Sundays. On Saturdays we open at nine. Kind regards" } }
  - when: { state: draft, after: archmax_set_variables }
    toolCalls:
      - { name: archmax_advance, args: { to: approve, reason: The answer is written. } }
  - when: { state: draft, after: read_file }
    toolCalls:
      - name: archmax_set_variables
        args: { variables: { title: Opening hours, answer: "Dear Ada, we are closed on Sundays. Kind regards" } }
  - when: { state: draft }
    toolCalls:
      - { name: read_file, args: { file_path: skills/house-style/SKILL.md } }
`;

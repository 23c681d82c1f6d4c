/** `README.md` of a new workspace. */
import type { Choices } from "./types.js";

export function readmeMd({ name, title, purpose }: Choices): string {
  return `# ${title}

${purpose}

\`\`\`sh
npx parkway validate                  # is workflows/${name}/workflow.yaml in order?
npx parkway test                      # its cases, from recorded replies
npx parkway graph --svg ${name}.svg   # a picture of it
\`\`\`

With a model (copy \`.env.example\` to \`.env\`):

\`\`\`sh
npx parkway run "Are you open on Sundays? Ada" --session ada
npx parkway decide ada --to file
npx parkway sessions ada
npx parkway test --record             # records what your model says
\`\`\`

| file | is |
| --- | --- |
| \`workflows/${name}/workflow.yaml\` | the process: states, ways out, who may call which tool |
| \`workflows/${name}/scripts/\` | code states |
| \`workflows/${name}/tests/\` | cases, and the replies they were recorded from |
| \`skills/house-style/SKILL.md\` | knowledge that the agent reads |
| \`.parkway/workflow.schema.json\` | what editors know of workflow.yaml |
`;
}

/** `.env.example` and `.gitignore` of a new workspace. */
export const ENV_EXAMPLE = `# Copy this file to .env and fill it in. Any endpoint that speaks the OpenAI chat protocol will do.
ARCHMAX_API_BASE_URL=https://models.example/v1
ARCHMAX_API_KEY=
ARCHMAX_MODEL=
`;

export const GITIGNORE = `node_modules/
sessions/
.env
`;

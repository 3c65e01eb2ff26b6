import { defineTool, key, mcp, ToolError, z } from '@berth/agent';

const { EVERYTHING_URL, NOTES_URL, GITHUB_URL } = process.env;

/** A server of the Model Context Protocol that answers everyone: `npx @modelcontextprotocol/server-everything streamableHttp`. */
const everything = mcp({
  name: 'everything',
  title: 'Everything',
  description: 'A bit of all that servers of the protocol have.',
  url: EVERYTHING_URL ?? 'http://127.0.0.1:3001/mcp',
  // What you think of its tools counts, whatever it says: `echo` only reads, and sums are asked for, as if they were payments.
  risks: { echo: 'read', 'get-sum': 'destructive' },
});

/** One that people sign in to; it says itself where. */
const notes = mcp({
  name: 'notes',
  title: 'Notion',
  description: 'Your pages and databases.',
  url: NOTES_URL ?? 'https://mcp.notion.com/mcp',
  auth: 'oauth',
});

/** A REST API, with a key that people paste: it is tried before it is kept. */
const github = key({
  name: 'github',
  title: 'GitHub',
  description: 'Your repositories. Make a key at https://github.com/settings/personal-access-tokens.',
  api: { baseUrl: GITHUB_URL ?? 'https://api.github.com', headers: { 'User-Agent': 'berth-agent-connectors' } },
  probe: 'user',
  tools: [
    defineTool({
      name: 'list_repositories',
      description: 'Lists the repositories of the person, those that changed last first.',
      risk: 'read',
      input: z.object({ count: z.number().int().min(1).max(100).default(10) }),
      label: ({ count }) => `List ${count} repositories`,
      // It gets what calls the API, and never sees the key.
      async run({ count }, { connector }) {
        const answer = await connector?.fetch(`user/repos?sort=pushed&per_page=${count}`);
        if (!answer?.ok) throw new ToolError(`GitHub answered with ${answer?.status}.`);
        const repositories = (await answer.json()) as { full_name: string; description: string | null }[];
        return repositories.map(({ full_name, description }) => ({ full_name, description }));
      },
    }),
  ],
});

export const connectors = [everything, notes, github];

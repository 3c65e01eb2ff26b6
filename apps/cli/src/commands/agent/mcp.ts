import path from 'node:path';
import { defineCommand } from '../../command/command.ts';

/** `berth mcp`. */
export const mcp = defineCommand({
  name: 'mcp',
  summary: 'Serve the platform as tools to a coding agent, over standard input and output',
  description: `A server of the Model Context Protocol, which a coding agent starts. Its tools deploy, roll back, read logs and metrics, run SQL, and change variables and objects, with the permissions of your key. For fewer, create a key:
  KEY=$(berth keys create agent --scope read --scope logs -q)

Claude Code:
  claude mcp add berth -- berth mcp
Cursor (.cursor/mcp.json), Claude Desktop, Windsurf:
  {"mcpServers": {"berth": {"command": "berth", "args": ["mcp"]}}}
VS Code (.vscode/mcp.json):
  {"servers": {"berth": {"type": "stdio", "command": "berth", "args": ["mcp"]}}}
Codex (~/.codex/config.toml):
  [mcp_servers.berth]
  command = "berth"
  args = ["mcp"]
Over HTTP, without the command line:
  claude mcp add --transport http berth https://api.example.com/mcp`,
  options: { '--folder <dir>': 'Folder that deploy_folder may deploy, with all below it; the current one by default' },
  examples: [
    ['claude mcp add berth -- berth mcp', 'adds the tools to Claude Code'],
    ['berth mcp --folder ~/projects', 'lets the agent deploy any folder in ~/projects'],
  ],
  // Loaded on demand: the SDK takes longer to load than most commands take to run.
  async run({ options: { folder = '.' } }, context) {
    const { serveTools } = await import('../../mcp/serve-tools.ts');
    await serveTools(path.resolve(context.workingFolder, folder), context);
  },
});

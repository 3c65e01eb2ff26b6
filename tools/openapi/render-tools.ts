import { PLATFORM_TOOLS } from '@berth/mcp';

/** Renders the table of the platform's MCP tools. */
export function renderTools(): string {
  const rows = PLATFORM_TOOLS.map(({ name, title, effect, isLocal }) => {
    const notes = [effect === 'read' ? 'reads only' : 'can replace or remove', isLocal ? 'only with `berth mcp`' : ''];
    return `| \`${name}\` | ${title} | ${notes.filter(Boolean).join('; ')} |`;
  });
  return ['| Tool | Title | Effect |', '| --- | --- | --- |', ...rows].join('\n');
}

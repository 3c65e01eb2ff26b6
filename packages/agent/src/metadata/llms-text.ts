import type { AgentConfig } from '@berth/contract/agent';

/** Returns the document `/llms.txt`, which describes an agent and its API to language models. Source: llmstxt.org. */
export function llmsText({ title, description, auth, workspaces }: AgentConfig, origin: string): string {
  const token = auth ? ' With `Authorization: Bearer TOKEN`.' : '';
  const link = (method: string, path: string, what: string) => `- [${method} ${path}](${origin}${path}): ${what}`;
  return [
    `# ${oneLine(title)}`,
    '',
    ...(description ? [`> ${oneLine(description)}`, ''] : []),
    '## API',
    '',
    link('POST', '/chat/completions', `OpenAI-compatible chat completions, streamed or whole.${token}`),
    link('POST', '/chat', `A turn as server-sent events: text, tables, steps. Body \`{"messages":[…]}\`.${token}`),
    link('GET', '/config', 'Name, title, sign-in and limits as JSON.'),
    ...(auth
      ? [link('GET', '/chats', 'The caller’s conversations.'), link('GET', '/files', 'The caller’s files.')]
      : []),
    ...(workspaces
      ? [link('GET', '/workspaces', 'The caller’s teams. Every request works in one with `X-Workspace: ID`.')]
      : []),
    '',
    '## Optional',
    '',
    link('GET', '/explore', 'Other agents.'),
    link('GET', '/examples', 'Conversations that were shared as examples.'),
    '',
  ].join('\n');
}

/** Replaces line breaks, which would start another section of the document. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

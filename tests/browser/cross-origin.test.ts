import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { openTestAgent } from '../../packages/agent/src/testing/open-test-agent.ts';
import { openChatVisit } from './harness/open-chat-visit.ts';

/** A page that chats with the agent in the query of its address, and shows what it was told. */
const PAGE = `<!doctype html><title>Elsewhere</title><pre></pre><script type="module">
const shown = document.querySelector('pre');
try {
  const response = await fetch(new URLSearchParams(location.search).get('agent') + '/chat', {
    method: 'POST',
    headers: { authorization: 'Bearer alice', 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'hello from elsewhere' }] }),
  });
  shown.textContent = await response.text();
} catch (error) { shown.textContent = 'refused: ' + error.message }
</script>`;

// Fails when the agent sends no CORS headers, or sends them to origins that its owner did not name.
it('a page on another origin chats with an agent that allows it, and with no other', async () => {
  const server = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(PAGE));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    await using open = await openTestAgent({ cors: { origins: [origin] } });
    await using closed = await openTestAgent({ cors: { origins: ['https://app.example.com'] } });
    await using opened = await openChatVisit(open.url);
    const { page } = opened;
    await page.goto(`${origin}/?agent=${open.url}`);
    await page.getByText('You said: hello from elsewhere').waitFor();
    await page.goto(`${origin}/?agent=${closed.url}`);
    await page.getByText(/^refused: /).waitFor();
    expect(await page.textContent('pre')).not.toContain('You said');
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

import { expect, it } from 'vitest';
import { answerJson, collect, createScriptedServer, deployEvent } from '../testing/index.ts';
import { createNodeAgentClient, createNodeClient } from './create-node-client.ts';
import { localhostFetch } from './localhost-fetch.ts';

/** Plain Linux resolves no such name: where the machine does, the tests of this file can't tell the two apart. */
const at = (name: string, port: number) => `http://${name}.localhost:${port}`;

// Fails when createNodeClient leaves `fetch` to the global one: "the host name is unknown".
it('a client reaches an address below localhost without any option', async () => {
  await using server = await createScriptedServer({ 'GET /v1/deployment/list': answerJson(200, []) });
  const client = createNodeClient({ baseUrl: at('api.apps', server.port), credential: { apiKey: 'key-0123456789' } });
  expect(await client.get('/v1/deployment/list')).toEqual([]);
  expect(server.headers[0]?.host).toBe(`api.apps.localhost:${server.port}`);
});

// Fails when sendFormOverHttp is not given lookupLocalhost.
it('an upload reaches it too', async () => {
  await using server = await createScriptedServer({
    'POST /v1/deploy': async (exchange) => {
      await exchange.form();
      exchange.response.end(deployEvent(1, 'DONE', ''));
    },
  });
  const client = createNodeClient({ baseUrl: at('api.apps', server.port), credential: { apiKey: 'key-0123456789' } });
  const archive = new Blob(['x']);
  const events = await collect(client.deploy({ fields: { function_name: 'app', volumes: {} }, archive }));
  expect(events.map(({ status }) => status)).toEqual(['DONE']);
});

// Fails when createNodeAgentClient leaves `fetch` to the global one.
it("an agent's client reaches it too", async () => {
  await using server = await createScriptedServer({ 'GET /config': answerJson(200, { name: 'echo', title: 'Echo' }) });
  const agent = createNodeAgentClient({ baseUrl: at('echo', server.port) });
  expect(await agent.get('/config')).toEqual({ name: 'echo', title: 'Echo' });
});

// Fails when localhostFetch reads the address of strings only.
it('takes what fetch takes', async () => {
  await using server = await createScriptedServer({
    'POST /form': async (exchange) => answerJson(200, [...(await exchange.form()).keys()])(exchange),
  });
  const body = new FormData();
  body.set('a', new Blob(['1']));
  const url = new URL(`${at('app', server.port)}/form`);
  expect(await (await localhostFetch(url, { method: 'POST', body })).json()).toEqual(['a']);
  expect(await (await localhostFetch(new Request(url, { method: 'POST', body }))).json()).toEqual(['a']);
});

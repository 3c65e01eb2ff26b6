import { expect, it } from 'vitest';
import { createFakeApi } from '../testing/create-fake-api.ts';
import { createCalls } from './api.ts';

// Fails when `{path}` of a file is encoded as one segment: the slashes become %2F.
it('encodes parameters, and keeps the slashes of a path of files', async () => {
  const answer = () => ({ trash_id: 't' });
  const { api, calls } = createFakeApi({ 'DELETE /files/a%20b/c%23.txt': answer, 'DELETE /chats/c%2F1': answer });
  await api.delete('/files/{path}', { params: { path: { path: 'a b/c#.txt' } } });
  await api.delete('/chats/{id}', { params: { path: { id: 'c/1' } } });
  expect(calls).toHaveLength(2);
});

// Fails when the path of a file is encoded without `fileUrl`: a browser resolves the dots to another route.
it('calls nothing for a path that leads out of the files', async () => {
  const { api, calls } = createFakeApi({});
  const call = api.post('/files/{path}', { params: { path: { path: '../connectors/x' } } });
  await expect(call).rejects.toThrow('is not the path of a file');
  expect(calls).toEqual([]);
});

// Fails when a form is given a Content-Type: the boundary is missing then.
it('sends JSON with its type, and leaves the type of a form to the browser', async () => {
  const sent: RequestInit[] = [];
  const { post } = createCalls(async (_, init = {}) => {
    sent.push(init);
    return Response.json({ text: '', id: 't' });
  });
  const form = new FormData();
  await post('/transcribe', { body: form });
  await post('/workspaces', { body: { name: 'Sales' } });
  expect(sent).toEqual([
    { method: 'POST', body: form },
    { method: 'POST', body: '{"name":"Sales"}', headers: { 'Content-Type': 'application/json' } },
  ]);
});

// Fails when the body of a 204 is parsed.
it('returns undefined for an answer without content', async () => {
  const { get } = createCalls(async () => new Response(null, { status: 204 }));
  expect(await get('/chats/{id}', { params: { path: { id: 'c1' } } })).toBeUndefined();
});

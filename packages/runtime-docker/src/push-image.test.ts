import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasImage, pushImage } from './build/push-image.ts';
import { buildImage } from './testing/build-image.ts';
import { findTestEngine, skipWithoutEngine } from './testing/test-engine.ts';

const digestOf = (bytes: Uint8Array) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** A registry with what a push needs. Source: OCI distribution specification 1.1. */
async function startRegistry() {
  const blobs = new Map<string, Buffer>();
  const manifests = new Map<string, Buffer>();
  const uploads = new Map<string, Buffer>();
  const answer = async (request: IncomingMessage): Promise<[number, Record<string, string>, Buffer?]> => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://registry');
    const body = await buffer(request);
    const [, repository, kind, id = ''] = /^\/v2\/(.+)\/(blobs|manifests)\/(.+)$/.exec(pathname) ?? [];
    if (repository === undefined) return [200, {}];
    if (kind === 'manifests') {
      if (request.method !== 'PUT') {
        const found = manifests.get(id);
        return found ? [200, { 'docker-content-digest': digestOf(found) }, found] : [404, {}];
      }
      for (const key of [id, digestOf(body)]) manifests.set(key, body);
      return [201, { 'docker-content-digest': digestOf(body) }];
    }
    if (!id.startsWith('uploads')) {
      const blob = blobs.get(id);
      return blob ? [200, { 'content-length': String(blob.length) }] : [404, {}];
    }
    if (request.method === 'POST') {
      const upload = crypto.randomUUID();
      uploads.set(upload, Buffer.alloc(0));
      return [202, { location: `/v2/${repository}/blobs/uploads/${upload}` }];
    }
    const upload = id.slice('uploads/'.length);
    const whole = Buffer.concat([uploads.get(upload) ?? Buffer.alloc(0), body]);
    uploads.set(upload, whole);
    if (request.method === 'PATCH') return [202, { location: pathname, range: `0-${whole.length - 1}` }];
    blobs.set(searchParams.get('digest') ?? '', whole);
    return [201, { 'docker-content-digest': searchParams.get('digest') ?? '' }];
  };
  const server = createServer((request, response) => {
    void answer(request).then(([status, headers, body]) => {
      response.writeHead(status, headers);
      response.end(request.method === 'HEAD' ? undefined : body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { host: `127.0.0.1:${(server.address() as { port: number }).port}`, blobs, manifests };
}

const engine = await findTestEngine();
const suite = 'pushed images: docker';
if (!engine) skipWithoutEngine(suite);
else
  describe(suite, () => {
    const makeImage = async (user: string) => {
      const reference = await buildImage(engine, {
        Dockerfile: `FROM scratch\nCOPY main.js /main.js\nUSER ${user}\nCMD ["/main.js"]`,
        'main.js': crypto.randomUUID(),
      });
      return { kind: 'image', reference, name: reference, isAgent: true } as const;
    };

    // Fails when the registry lacks a layer, or the artifact names another image or runs as another user.
    test('are in the registry under the digest of the artifact, and lose no name in the engine', async () => {
      const registry = await startRegistry();
      const artifact = await makeImage('4321:1234');
      const repository = `${registry.host}/berth/acc/shop`;
      const tag = crypto.randomUUID();
      await engine.docker.getImage(artifact.reference).tag({ repo: 'berth-test/shop', tag });
      const pushed = await pushImage(engine, artifact, { repository, tag: 'shop-00001-abc' });
      expect(pushed).toEqual({
        ...{ kind: 'image', name: `${repository}:shop-00001-abc`, isAgent: true, user: { uid: 4_321, gid: 1_234 } },
        reference: expect.stringMatching(new RegExp(`^${repository}@sha256:[0-9a-f]{64}$`)),
      });
      const manifest = registry.manifests.get(pushed.reference.split('@')[1] ?? '');
      const { config, layers } = JSON.parse(String(manifest)) as {
        config: { digest: string };
        layers: { digest: string }[];
      };
      for (const { digest } of [config, ...layers]) expect(registry.blobs.has(digest)).toBe(true);
      const { RepoTags: names } = await engine.docker.getImage(artifact.reference).inspect();
      expect(names).toEqual([`berth-test/shop:${tag}`]);
      expect(await hasImage(engine, artifact)).toBe(true);
      expect(await hasImage(engine, { ...artifact, reference: `sha256:${'0'.repeat(64)}` })).toBe(false);
      expect(await pushImage(engine, artifact, { repository, tag: 'shop-00001-abc' })).toEqual(pushed);
    });

    test('have no user when theirs is a name, and say why a registry refused them', async () => {
      const registry = await startRegistry();
      const artifact = await makeImage('node');
      const pushed = await pushImage(engine, artifact, { repository: `${registry.host}/acc/blog`, tag: 'one' });
      expect(pushed.user).toBeUndefined();
      const nowhere = pushImage(engine, artifact, { repository: '127.0.0.1:1/acc/blog', tag: 'one' });
      await expect(nowhere).rejects.toMatchObject({ code: 'unavailable' });
      await expect(nowhere).rejects.toThrow("couldn't push 127.0.0.1:1/acc/blog:one");
    });
  });

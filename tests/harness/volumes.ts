import type { ObjectsPage, SignedUrl, Volume } from '@berth/contract';
import type { Berth } from './berth.ts';

/** A volume of the first account, as a client of the API has it. */
export interface VolumeClient {
  readonly name: string;
  create(): Promise<void>;
  /** A signed URL. @throws Error unless the API gives one. */
  sign(route: 'upload' | 'download', object: string): Promise<string>;
  put(object: string, body: BodyInit): Promise<Response>;
  /** The object's text; undefined when there is none. */
  get(object: string): Promise<string | undefined>;
  /** Paths of all objects. */
  paths(): Promise<string[]>;
  /** Its row of the list; undefined when it is in none. */
  row(): Promise<Volume | undefined>;
}

export function volumeClient(berth: Berth, name: string): VolumeClient {
  const request = (route: string, object: string) => berth.post(`/v1/volume/${route}`, { volume: name, object });
  const sign = async (route: 'upload' | 'download', object: string) => {
    const answer = await request(route, object);
    if (!answer.ok) throw new Error(`${route} ${name}/${object}: ${answer.status} ${await answer.text()}`);
    return ((await answer.json()) as SignedUrl).url;
  };
  return {
    name,
    sign,
    async create() {
      await (await berth.post('/v1/volume/create', { name })).json();
    },
    put: async (object, body) => fetch(await sign('upload', object), { method: 'PUT', body }),
    async get(object) {
      const answer = await request('download', object);
      if (answer.status === 404) return undefined;
      return (await fetch(((await answer.json()) as SignedUrl).url)).text();
    },
    async paths() {
      const page = (await (await berth.api(`/v1/volume/objects?volume=${name}`)).json()) as ObjectsPage;
      return page.objects.map(({ path }) => path);
    },
    async row() {
      const rows = (await (await berth.api('/v1/volume/list')).json()) as Volume[];
      return rows.find((row) => row.name === name);
    },
  };
}

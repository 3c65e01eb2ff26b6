import { encodePacket, FLUSH } from '../protocol/packets.ts';

/** The services of Git's smart HTTP protocol: `git push` uses the first, `git fetch` the second. */
export type GitService = 'git-receive-pack' | 'git-upload-pack';

const NO_COMMIT = '0'.repeat(40);
const COMMON = ['side-band-64k', 'ofs-delta', 'object-format=sha1', 'agent=git/berth'];

/** The only branch of a served repository. */
export interface ServedBranch {
  /** Without `refs/heads/`. */
  readonly name: string;
  /** Full hex id; undefined before the first push. */
  readonly commit: string | undefined;
}

/**
 * Returns the body of `GET /info/refs`. Packs of pushes must be complete in themselves (`no-thin`), because the objects that a thin pack
 * builds on are stored elsewhere. Source: gitprotocol-http(5), "Smart Clients"; gitprotocol-capabilities(5).
 */
export function advertise(service: GitService, { name, commit }: ServedBranch): Buffer {
  const isPush = service === 'git-receive-pack';
  const capabilities = isPush
    ? ['report-status', 'delete-refs', 'no-thin', ...COMMON]
    : ['no-progress', `symref=HEAD:refs/heads/${name}`, ...COMMON];
  const names = isPush ? [`refs/heads/${name}`] : ['HEAD', `refs/heads/${name}`];
  const lines = commit === undefined ? [`${NO_COMMIT} capabilities^{}`] : names.map((each) => `${commit} ${each}`);
  return Buffer.concat([
    encodePacket(`# service=${service}\n`),
    Buffer.from(FLUSH),
    ...lines.map((line, at) => encodePacket(at === 0 ? `${line}\0${capabilities.join(' ')}\n` : `${line}\n`)),
    Buffer.from(FLUSH),
  ]);
}

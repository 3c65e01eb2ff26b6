import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { AgentProgramSettings } from './agent-program.ts';
import { type Program, startProgram } from './start-program.ts';

const ISSUER = 'https://login.example.com';

/** An agent with sign-in and a data folder, and tokens for it. */
export interface MeasuredAgent extends Program {
  readonly dataFolder: string;
  /** A good token of the user. */
  token(user: string): Promise<string>;
}

export async function startMeasuredAgent(
  options: Pick<AgentProgramSettings, 'upstream' | 'workspaces' | 'connectors' | 'api'> = {},
): Promise<MeasuredAgent> {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const dataFolder = await mkdtemp(path.join(tmpdir(), 'measured-agent-'));
  const settings: AgentProgramSettings = {
    ...options,
    dataFolder,
    issuer: ISSUER,
    jwks: { keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }] },
  };
  const program = await startProgram('agent-program.ts', [JSON.stringify(settings)]);
  return {
    url: program.url,
    pid: program.pid,
    dataFolder,
    token: (user) =>
      new SignJWT({})
        .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
        .setSubject(user)
        .setIssuer(ISSUER)
        .setAudience('measured')
        .setIssuedAt()
        .setExpirationTime('1h')
        .sign(privateKey),
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]();
      await rm(dataFolder, { recursive: true, force: true });
    },
  };
}

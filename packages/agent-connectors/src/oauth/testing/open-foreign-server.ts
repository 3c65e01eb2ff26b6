import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import { vi } from 'vitest';

/**
 * Starts node-oidc-provider, an authorization server that isn't ours, with dynamic registration at `/reg`. It checks
 * redirect URIs by application type, as OpenID Connect Dynamic Client Registration, section 2, asks.
 */
export async function openForeignServer(): Promise<AsyncDisposable & { readonly issuer: string }> {
  // The provider tells at length what an operator should configure.
  const silenced = (['info', 'warn'] as const).map((level) => vi.spyOn(console, level).mockImplementation(() => {}));
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    cookies: { keys: ['test'] },
    features: { registration: { enabled: true } },
    scopes: ['openid', 'offline_access'],
  });
  server.on('request', provider.callback());
  return {
    issuer,
    async [Symbol.asyncDispose]() {
      for (const spy of silenced) spy.mockRestore();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

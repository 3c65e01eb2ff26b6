/** The timeout of a request to the provider, which holds up a request to the agent. */
const TIMEOUT_MS = 5_000;
/** The maximum size of a document. A key set has a few kilobytes. */
const MAX_BYTES = 512 * 1024;

/** A `fetch` that takes the URL as a string. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * Fetches a JSON document from an identity provider. Doesn't follow redirects: only the configured address is trusted.
 * @throws Error with the address, and the cause
 */
export async function fetchJson(url: string, fetcher: Fetch = fetch): Promise<unknown> {
  try {
    const response = await fetcher(url, {
      headers: { accept: 'application/json' },
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) throw new Error(`it answered ${response.status}`);
    return JSON.parse(await readText(response));
  } catch (error) {
    throw new Error(`${url} gives no JSON document`, { cause: error });
  }
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** A connector as the owner's own tools have it: they can call its API, and never see the credential. */
export interface ConnectorHandle {
  readonly name: string;
  /**
   * Calls the API with the credential of the person who asks.
   * @param path below the API's base address, with a query if need be; without a slash in front.
   * @throws `bad_request` for a path that leaves the base; NotConnected when there is no credential that works; `unavailable`.
   */
  fetch(path: string, request?: ConnectorRequest): Promise<Response>;
}

export interface ConnectorRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/**
 * Returns the key of a user's setting for a connector's tool. Names of connectors have no slash; names of tools may
 * have one.
 */
export function toolSettingKey(connector: string, tool: string): string {
  return `${connector}/${tool}`;
}

/** Reports whether a setting's key is that of a connector's tool. */
export function isConnectorSetting(key: string): boolean {
  return key.includes('/');
}

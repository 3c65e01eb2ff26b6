export { createNetworkList, type NetworkList, plainAddress } from './network-list.ts';
export { createProxyTrust, type ProxyTrust } from './proxy-trust.ts';

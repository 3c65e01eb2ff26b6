export { createDnsCommand } from './dns-command.ts';
export {
  createDnsChallenges,
  type DnsChallenges,
  type DnsProvider,
  type DnsRecord,
  type DnsRecordList,
} from './dns-records.ts';
export { createDynamicUpdates } from './dynamic-updates.ts';
export {
  createSettledCheck,
  findNameServers,
  findZone,
  type NameServer,
  parseNameServer,
} from './name-servers.ts';

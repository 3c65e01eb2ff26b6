import { z } from 'zod';
import { option } from './option.ts';
import { commandWords, integer, list, listOr, optionalText } from './value-schemas.ts';

/** Settings of certificates by ACME. */
export const ACME_OPTIONS = {
  acmeDirectory: option(
    'BERTH_ACME_DIRECTORY',
    z.url({ protocol: /^https$/ }).optional(),
    "ACME directory URL: every name gets a certificate; accepts the authority's terms",
  ),
  acmeEmail: option('BERTH_ACME_EMAIL', z.email().optional(), 'Contact e-mail for the ACME authority'),
  acmeEabKid: option(
    'BERTH_ACME_EAB_KID',
    z.string().optional(),
    'External account binding (EAB) key ID of the ACME authority',
  ),
  acmeEabHmacKey: option('BERTH_ACME_EAB_HMAC_KEY', z.string().optional(), 'and its key', { isSecret: true }),
  acmeCa: option('BERTH_ACME_CA', z.string().optional(), "File with the ACME authority's root certificate (PEM)"),
  acmeDnsServer: option(
    'BERTH_ACME_DNS_SERVER',
    optionalText,
    'Primary name server of the domain, such as ns1.example.com or 192.0.2.1:53: a wildcard certificate is obtained by dynamic updates (RFC 2136)',
  ),
  acmeDnsKey: option(
    'BERTH_ACME_DNS_KEY',
    z
      .string()
      .regex(
        /^hmac-sha256:[A-Za-z0-9_.-]+:[A-Za-z0-9+/]{16,}={0,2}$/,
        'must be hmac-sha256:NAME:SECRET, with the secret in base64',
      )
      .optional(),
    'TSIG key of dynamic updates, hmac-sha256:NAME:SECRET',
    { isSecret: true, isVariableOnly: true },
  ),
  acmeDnsZone: option(
    'BERTH_ACME_DNS_ZONE',
    optionalText,
    'DNS zone that contains the domain; found by its SOA record by default',
  ),
  acmeDnsCommand: option(
    'BERTH_ACME_DNS_COMMAND',
    commandWords,
    'Command that changes the DNS instead, as a JSON array, such as ["/etc/berth/dns-hook"]; called with present or cleanup, the name and the value of a TXT record; run without a shell',
  ),
  acmeDnsCommandEnv: option(
    'BERTH_ACME_DNS_COMMAND_ENV',
    listOr('PATH,HOME').refine(
      (names) => !names.some((name) => name.startsWith('BERTH_')),
      "must not name BERTH_ variables, which hold the server's secrets",
    ),
    "Variables of the server's environment that the command gets, comma-separated",
  ),
  acmeDnsCheck: option(
    'BERTH_ACME_DNS_CHECK',
    list,
    "Name servers that must answer with the record before the authority is asked, comma-separated; the zone's by default",
  ),
  acmeDnsTimeout: option(
    'BERTH_ACME_DNS_TIMEOUT',
    integer(5, 3_600, 180),
    'Seconds until the name servers must answer with the record; also the timeout of the command',
  ),
};

/** Returns what is wrong with the settings of the wildcard certificate, taken together. */
export function findDnsFaults(config: {
  readonly domain?: string;
  readonly acmeDirectory?: string | undefined;
  readonly acmeDnsServer?: string | undefined;
  readonly acmeDnsKey?: string | undefined;
  readonly acmeDnsCommand?: readonly string[] | undefined;
}): string[] {
  const { domain, acmeDirectory, acmeDnsServer, acmeDnsKey, acmeDnsCommand } = config;
  const faults: string[] = [];
  if (acmeDnsServer !== undefined && acmeDnsCommand !== undefined) {
    faults.push(
      'BERTH_ACME_DNS_SERVER and BERTH_ACME_DNS_COMMAND exclude each other: choose one way to change the DNS',
    );
  }
  if ((acmeDnsServer === undefined) !== (acmeDnsKey === undefined)) {
    faults.push('BERTH_ACME_DNS_SERVER and BERTH_ACME_DNS_KEY belong together: set both');
  }
  if ((acmeDnsServer ?? acmeDnsCommand) === undefined) return faults;
  if (acmeDirectory === undefined) faults.push('A wildcard certificate by DNS needs BERTH_ACME_DIRECTORY');
  if (!domain?.includes('.')) faults.push('A wildcard certificate by DNS needs BERTH_DOMAIN, such as apps.example.com');
  return faults;
}

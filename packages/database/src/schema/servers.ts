/** A lease of work that one of several servers does at a time. */
export interface LeasesTable {
  readonly name: string;
  /** The start of a server that took it last. */
  owner: string;
  /** Rises whenever it is taken: what an earlier holder writes is refused. */
  epoch: number;
  /** By the clock of the database. */
  expires_at: number;
}

/** A certificate that was issued for several servers. */
export interface CertificatesTable {
  readonly name: string;
  /** Key and chain in one text, sealed. */
  sealed_pem: string;
  /** Changes with the certificate. */
  version: string;
}

/** The account on an ACME server that several servers share. */
export interface AcmeAccountsTable {
  readonly directory_url: string;
  /** Sealed JSON, with the private key. */
  sealed_account: string;
}

/** An answer to a running challenge: over HTTP, which every server gives, or a DNS record, which any server removes. */
export interface AcmeChallengesTable {
  readonly token: string;
  answer: string;
  expires_at: number;
}

/** Attempts at a secret in a window of time, counted over several servers. */
export interface AttemptWindowsTable {
  readonly key: string;
  started_at: number;
  count: number;
}

/** A gateway that is alive until `expires_at`. */
export interface GatewaysTable {
  /** Names one start of a server. */
  id: string;
  /** Host and port at which other gateways reach it. */
  address: string;
  /** 1 while it drains: it takes no more partitions. */
  is_leaving: number;
  /** Epoch milliseconds by the clock of leases. */
  expires_at: number;
}

/** The gateway that counts the requests of the services of a partition. */
export interface PartitionsTable {
  number: number;
  /** {@link GatewaysTable.id}, while that gateway is alive; empty when it was given up. */
  owner: string;
  /** Rises with each change of the owner. */
  epoch: number;
}

/** The instances of a deployment on one of several servers, as that server last told. */
export interface InstanceReportsTable {
  /** Names one start of a server. */
  readonly server: string;
  readonly deployment: string;
  readonly account_id: string;
  /** JSON list of the instances. */
  readonly body: string;
  /** Epoch milliseconds by the clock of leases. */
  readonly reported_at: number;
}

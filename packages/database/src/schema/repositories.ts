/** A repository that a deployment is connected to. Times are epoch milliseconds, wall clock. */
export interface RepositoriesTable {
  /** `rep_…`. */
  readonly id: string;
  readonly account_id: string;
  /** Not a foreign key: the previews of a deployment that was deleted are deleted after it. */
  readonly deployment: string;
  readonly forge: 'github' | 'gitlab' | 'gitea' | 'forgejo';
  /** Without credentials. */
  readonly url: string;
  readonly branch: string;
  /** Null: the whole repository. */
  readonly folder: string | null;
  /** The secret that the forge signs its requests with. */
  sealed_secret: string;
  /** The access token; null without one. */
  sealed_token: string | null;
  /** Where the code is fetched by SSH; this and the next three are null without a deploy key. */
  readonly ssh_url: string | null;
  /** Fingerprint of the host key that the server had when the repository was connected. */
  readonly ssh_host_key: string | null;
  /** Public half of the deploy key, as a line of OpenSSH. */
  readonly deploy_key: string | null;
  /** The private half. */
  sealed_deploy_key: string | null;
  /** JSON of the variables that only previews get; null without any. */
  sealed_preview_variables: string | null;
  readonly previews_enabled: number;
  readonly preview_ttl_ms: number;
  readonly created_at: number;
  /** When it was disconnected; null while it is connected. The row goes when its previews and its webhook are gone. */
  ended_at: number | null;
  /** Attempts to remove its webhook from the forge. */
  end_attempts: number;
}

/** A request of a webhook that was accepted, so that a repetition is ignored. */
export interface RepositoryDeliveriesTable {
  readonly repository_id: string;
  /** SHA-256 of the body, in hexadecimal. */
  readonly digest: string;
  readonly created_at: number;
}

/** A commit to deploy, with the report of its result to the forge. */
export interface RepositoryRunsTable {
  /** `rrn_…`. */
  readonly id: string;
  readonly repository_id: string;
  /** The pull request; null for a push to the branch. */
  readonly number: number | null;
  readonly sha: string;
  readonly title: string;
  state: 'queued' | 'deploying' | 'succeeded' | 'failed' | 'superseded' | 'skipped';
  /** Null until the deploy was accepted. */
  deploy_id: string | null;
  error: string | null;
  attempts: number;
  next_attempt_at: number;
  /** 0 after each change of `state` until the forge knows it. */
  is_reported: number;
  report_attempts: number;
  next_report_at: number;
  report_error: string | null;
  readonly created_at: number;
}

/** A preview of a pull request. */
export interface RepositoryPreviewsTable {
  readonly repository_id: string;
  readonly number: number;
  readonly deployment: string;
  /** 1 once a deploy of this preview was accepted: a deployment with this name before then is not a preview. */
  is_claimed: number;
  /** 1 when the deployment is to be deleted. */
  is_closing: number;
  expires_at: number;
  /** The comment in the forge; null before it is known. */
  comment_id: string | null;
}

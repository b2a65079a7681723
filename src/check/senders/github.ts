import { hexOf, numberOf, seconds, secondsText, uuidOf } from './ids.js';
import { jsonSender, kindsOf, type EventMarks, type Message, type KnownSender } from './sender.js';

/** Events of GitHub: https://docs.github.com/en/webhooks/webhook-events-and-payloads */
export const github: KnownSender = githubSender();

function githubSender(): KnownSender {
  const kinds = kindsOf({ ping, push, issues, pull_request: pullRequest });
  return jsonSender({
    schemes: ['github', 'github-sha1'],
    deadlineMs: 10_000,
    note: 'with `X-GitHub-Event` and `X-GitHub-Delivery`',
    mark: "event.repository?.full_name === 'evfwd-check/evfwd-check'",
    kinds,
    usual: kinds.find(({ name }) => name === 'issues')!,
    id: { header: 'X-GitHub-Delivery' },
    kind: { header: 'X-GitHub-Event' },
    // Values of these are chosen by each organization.
    free: ['repository', 'custom_properties'],
  });
}

const api = 'https://api.github.com/repos/evfwd-check/evfwd-check';
const site = 'https://github.com/evfwd-check/evfwd-check';
const hookId = 987_654;

const user = {
  login: 'evfwd-check',
  id: 1_000_001,
  node_id: 'U_evfwdcheck',
  avatar_url: 'https://avatars.githubusercontent.com/u/1000001?v=4',
  gravatar_id: '',
  url: 'https://api.github.com/users/evfwd-check',
  html_url: 'https://github.com/evfwd-check',
  ...urlsIn('https://api.github.com/users/evfwd-check', [
    ...['followers', 'following{/other_user}', 'gists{/gist_id}', 'starred{/owner}{/repo}'],
    ...['subscriptions', 'repos', 'events{/privacy}', 'received_events'],
  ]),
  organizations_url: 'https://api.github.com/users/evfwd-check/orgs',
  type: 'User',
  user_view_type: 'public',
  site_admin: false,
};

/** `{ tags_url: '…/tags' }`; what stands in braces is a template. */
function urlsIn(base: string, paths: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    paths.map((path) => {
      const name = path
        .replace(/\{.*/, '')
        .replace(/^git\//, 'git_')
        .replaceAll('/', '_');
      return [`${name}_url`, `${base}/${path}`];
    }),
  );
}

function repository(nowMs: number): object {
  return {
    id: 2_000_002,
    node_id: 'R_evfwdcheck',
    name: 'evfwd-check',
    full_name: 'evfwd-check/evfwd-check',
    private: false,
    owner: user,
    html_url: site,
    description: 'Events of a check',
    fork: false,
    url: api,
    ...urlsIn(api, [
      ...['forks', 'keys{/key_id}', 'collaborators{/collaborator}', 'teams', 'hooks'],
      ...['events', 'assignees{/user}', 'branches{/branch}', 'tags', 'statuses/{sha}'],
      ...['languages', 'stargazers', 'contributors', 'subscribers', 'subscription'],
      ...['commits{/sha}', 'comments{/number}', 'contents/{+path}', 'compare/{base}...{head}'],
      ...['merges', 'downloads', 'issues{/number}', 'pulls{/number}', 'milestones{/number}'],
      ...['notifications{?since,all,participating}', 'labels{/name}', 'releases{/id}'],
      ...['deployments', 'git/tags{/sha}', 'git/refs{/sha}'],
      ...['git/commits{/sha}'],
    ]),
    blobs_url: `${api}/git/blobs{/sha}`,
    trees_url: `${api}/git/trees{/sha}`,
    issue_events_url: `${api}/issues/events{/number}`,
    issue_comment_url: `${api}/issues/comments{/number}`,
    archive_url: `${api}/{archive_format}{/ref}`,
    git_url: 'git://github.com/evfwd-check/evfwd-check.git',
    ssh_url: 'git@github.com:evfwd-check/evfwd-check.git',
    clone_url: `${site}.git`,
    svn_url: site,
    mirror_url: null,
    homepage: null,
    size: 1,
    stargazers_count: 0,
    watchers_count: 0,
    forks_count: 0,
    open_issues_count: 1,
    forks: 0,
    open_issues: 1,
    watchers: 0,
    language: null,
    license: null,
    topics: [],
    has_issues: true,
    has_projects: true,
    has_downloads: true,
    has_wiki: true,
    has_pages: false,
    has_discussions: false,
    archived: false,
    disabled: false,
    allow_forking: true,
    is_template: false,
    web_commit_signoff_required: false,
    default_branch: 'main',
    visibility: 'public',
    created_at: secondsText(nowMs),
    updated_at: secondsText(nowMs),
    pushed_at: secondsText(nowMs),
    custom_properties: {},
  };
}

function message(event: string, { id, nowMs }: EventMarks, members: object): Message {
  return {
    json: { ...members, repository: repository(nowMs), sender: user },
    headers: [
      ['User-Agent', 'GitHub-Hookshot/evfwdcheck'],
      ['Accept', '*/*'],
      ['X-GitHub-Delivery', uuidOf(id)],
      ['X-GitHub-Event', event],
      ['X-GitHub-Hook-ID', String(hookId)],
      ['X-GitHub-Hook-Installation-Target-ID', '2000002'],
      ['X-GitHub-Hook-Installation-Target-Type', 'repository'],
    ],
  };
}

function ping(marks: EventMarks): Message {
  const config = { content_type: 'json', insecure_ssl: '0', url: 'https://example.com/hook' };
  const hook = {
    type: 'Repository',
    id: hookId,
    name: 'web',
    active: true,
    events: ['push', 'issues', 'pull_request'],
    config,
    updated_at: secondsText(marks.nowMs),
    created_at: secondsText(marks.nowMs),
    url: `${api}/hooks/${hookId}`,
  };
  return message('ping', marks, { zen: 'Keep it logically awesome.', hook_id: hookId, hook });
}

function push(marks: EventMarks): Message {
  const { id, nowMs } = marks;
  const [before, after] = [hexOf(`${id} before`, 40), hexOf(`${id} after`, 40)];
  const author = { name: 'evfwd-check', email: 'evfwd-check@example.com', username: 'evfwd-check' };
  const commit = {
    id: after,
    tree_id: hexOf(`${id} tree`, 40),
    distinct: true,
    message: 'Check the endpoint',
    timestamp: secondsText(nowMs),
    url: `${site}/commit/${after}`,
    author,
    committer: author,
    added: [],
    removed: [],
    modified: ['README.md'],
  };
  const pushed = message('push', marks, {
    ref: 'refs/heads/main',
    before,
    after,
    created: false,
    deleted: false,
    forced: false,
    base_ref: null,
    compare: `${site}/compare/${before.slice(0, 12)}...${after.slice(0, 12)}`,
    commits: [commit],
    head_commit: commit,
    pusher: { name: 'evfwd-check', email: 'evfwd-check@example.com' },
  });
  // Of a push, these times of the repository are numbers.
  const times = { created_at: seconds(nowMs), pushed_at: seconds(nowMs) };
  const json = pushed.json as { readonly repository: object };
  return { ...pushed, json: { ...json, repository: { ...json.repository, ...times } } };
}

function issues(marks: EventMarks): Message {
  const shared = discussion(marks, 'issues');
  const reactions = { '+1': 0, '-1': 0, laugh: 0, hooray: 0, confused: 0, heart: 0 };
  const issue = {
    ...shared,
    repository_url: api,
    ...urlsIn(shared.url, ['labels{/name}', 'comments', 'events', 'timeline']),
    reactions: { url: `${shared.url}/reactions`, total_count: 0, ...reactions, rocket: 0, eyes: 0 },
    performed_via_github_app: null,
    state_reason: null,
  };
  return message('issues', marks, { action: 'opened', issue });
}

function pullRequest(marks: EventMarks): Message {
  const { id, nowMs } = marks;
  const branch = (ref: string) => ({
    label: `evfwd-check:${ref}`,
    ref,
    sha: hexOf(`${id} ${ref}`, 40),
    user,
    repo: repository(nowMs),
  });
  const shared = discussion(marks, 'pull');
  const own = {
    diff_url: `${site}/pull/${shared.number}.diff`,
    patch_url: `${site}/pull/${shared.number}.patch`,
    issue_url: `${api}/issues/${shared.number}`,
    ...urlsIn(shared.url, ['commits']),
    comments_url: `${api}/issues/${shared.number}/comments`,
    review_comments_url: `${shared.url}/comments`,
    review_comment_url: `${api}/pulls/comments{/number}`,
    statuses_url: `${api}/statuses/${hexOf(`${id} check`, 40)}`,
    _links: links(shared),
    draft: false,
    merge_commit_sha: null,
    requested_reviewers: [],
    requested_teams: [],
    auto_merge: null,
    mergeable: null,
    rebaseable: null,
    mergeable_state: 'unknown',
    merged_by: null,
    review_comments: 0,
    maintainer_can_modify: false,
    head: branch('check'),
    base: branch('main'),
    merged: false,
    merged_at: null,
    commits: 1,
    additions: 1,
    deletions: 0,
    changed_files: 1,
  };
  const members = { action: 'opened', number: shared.number, pull_request: { ...shared, ...own } };
  return message('pull_request', marks, members);
}

function links({ url, html_url }: { readonly url: string; readonly html_url: string }): object {
  return {
    self: { href: url },
    html: { href: html_url },
    commits: { href: `${url}/commits` },
    review_comments: { href: `${url}/comments` },
  };
}

/** What issues and pull requests have in common. */
function discussion({ id, nowMs }: EventMarks, kind: 'issues' | 'pull') {
  const number = 42;
  return {
    id: numberOf(id),
    node_id: `evfwdcheck_${hexOf(id, 12)}`,
    number,
    url: `${api}/${kind === 'pull' ? 'pulls' : 'issues'}/${number}`,
    html_url: `${site}/${kind}/${number}`,
    title: 'Check the endpoint',
    body: 'An event of a check: nothing to do.',
    user,
    labels: [],
    state: 'open',
    locked: false,
    active_lock_reason: null,
    assignee: null,
    assignees: [],
    milestone: null,
    comments: 0,
    author_association: 'OWNER',
    created_at: secondsText(nowMs),
    updated_at: secondsText(nowMs),
    closed_at: null,
  };
}

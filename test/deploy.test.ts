import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

const root = fileURLToPath(new URL('..', import.meta.url));
const text = (path: string): string => readFileSync(`${root}${path}`, 'utf8');

/** The commands that a handler is tested with, as they are in docs/running.md. */
const checks = [...text('docs/running.md').matchAll(/^.*evfwd send .*--expect-status.*$/gm)].map(
  ([line]) => line,
);

type Service = Readonly<Record<string, unknown>>;

interface Compose {
  readonly services: { readonly evfwd: Service };
  readonly secrets: Readonly<Record<string, unknown>>;
}

describe('the examples for CI', () => {
  it('accept what is signed, and refuse what is forged or not signed', () => {
    expect(checks).toHaveLength(3);
    const statuses = checks.map((line) => line.replace(/^.*--expect-status /, ''));
    expect(statuses).toEqual(['2xx', '401', '401']);
  });

  it('run the commands of the documentation on GitHub', () => {
    const workflow = parse(text('examples/ci/github-actions.yml')) as {
      jobs: { signatures: { steps: { run?: string }[] } };
    };
    const runs = workflow.jobs.signatures.steps.map(({ run }) => run?.trim());
    expect(runs).toEqual(expect.arrayContaining(checks));
  });

  it('run the commands of the documentation on GitLab', () => {
    const { webhook } = parse(text('examples/ci/gitlab-ci.yml')) as {
      webhook: { script: string[] };
    };
    expect(webhook.script).toEqual(checks);
  });
});

describe('the files for Docker', () => {
  const dockerfile = text('Dockerfile');
  const { services, secrets } = parse(text('compose.yaml')) as Compose;

  it('run as another user than root, with a health check', () => {
    expect(dockerfile).toMatch(/^USER node$/m);
    expect(dockerfile).toContain('/_evfwd/health');
    expect(services.evfwd).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
  });

  it('keep the state in a volume, and read configuration and admin token where they are mounted', () => {
    const command = JSON.parse(/^CMD (\[.*\])$/m.exec(dockerfile)![1]!) as string[];
    const valueOf = (flag: string): string => command[command.indexOf(flag) + 1]!;
    expect(dockerfile).not.toContain('EVFWD_CONFIG');
    expect(services.evfwd.volumes).toContain(`./evfwd.config.yaml:${valueOf('--config')}:ro`);
    expect(services.evfwd.volumes).toContain(`state:${valueOf('--state-dir')}`);
    expect(services.evfwd.secrets).toEqual(Object.keys(secrets));
    expect(valueOf('--admin-token-file')).toBe(`/run/secrets/${Object.keys(secrets)[0]!}`);
  });
});

describe('the files for Docker with PostgreSQL', () => {
  const { services, secrets } = parse(text('deploy/compose.postgres.yaml')) as {
    services: Record<'postgres' | 'evfwd-1' | 'evfwd-2' | 'nginx', Service>;
    secrets: Service;
  };
  const instances = [services['evfwd-1'], services['evfwd-2']];

  it('run two instances alike, as those of compose.yaml, with a store in place of the volume', () => {
    const [first, second] = instances;
    expect(second).toEqual(first);
    const { services: one } = parse(text('compose.yaml')) as Compose;
    const { environment, volumes, ...alike } = one.evfwd;
    expect({ ports: alike.ports, ...first }).toMatchObject(alike);
    expect(first!.environment).toMatchObject(environment as Service);
    expect(first!.volumes).toEqual((volumes as string[]).filter((each) => !each.includes('state')));
    expect(first!.command).not.toContain('--state-dir');
    const { EVFWD_STORE, PGPASSWORD } = first!.environment as Record<string, string>;
    expect(EVFWD_STORE).toBe('postgres://evfwd@postgres:5432/events');
    expect(PGPASSWORD).toBe('${POSTGRES_PASSWORD}');
    expect(services.postgres.environment).toMatchObject({
      ...{ POSTGRES_USER: 'evfwd', POSTGRES_DB: 'events' },
    });
    expect(first!.command).toContain(`--admin-token-file=/run/secrets/${Object.keys(secrets)[0]!}`);
  });

  it('have the configuration of nginx where it is mounted, for the name that both instances have', () => {
    expect(services.nginx.volumes).toEqual(['./deploy/nginx.conf:/etc/nginx/nginx.conf:ro']);
    const config = text('deploy/nginx.conf');
    expect(config).toContain('worker_connections 4096;');
    for (const { networks } of instances) {
      expect(networks).toEqual({ default: { aliases: ['evfwd'] } });
    }
    expect(config).toMatch(/^ +set \$instances evfwd:4500;$/m);
    expect(config).toMatch(/^ +listen 8080;$/m);
    expect(services.nginx.ports).toEqual(['127.0.0.1:4500:8080']);
  });

  it('have packages in the image that the store needs', () => {
    const { peerDependencies } = JSON.parse(text('package.json')) as {
      peerDependencies: Record<string, string>;
    };
    const installed = /evfwd-\*\.tgz (.*) \\$/m.exec(text('Dockerfile'))![1]!.split(' ');
    const wanted = Object.entries(peerDependencies).map(
      ([name, range]) => `${name}@${/\d+/.exec(range)![0]}`,
    );
    expect(installed).toEqual(wanted);
  });
});

describe('the units for systemd', () => {
  it('differ in the port, and in where the state is', () => {
    const linesOf = (path: string): string[] =>
      text(path)
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#'));
    const one = linesOf('deploy/evfwd.service');
    const template = linesOf('deploy/evfwd@.service');
    const added = template.filter((line) => !one.includes(line));
    expect(added).toEqual([
      expect.stringMatching(/^Description=.*%i/),
      expect.stringMatching(/^ExecStart=.* serve --port %i (?!.*--state-dir)/),
    ]);
    const left = one.filter((line) => !template.includes(line));
    const names = left.map((line) => line.replace(/=.*/, ''));
    expect(names).toEqual([
      ...['Description', 'ExecStart', 'RestartPreventExitStatus'],
      ...['StateDirectory', 'StateDirectoryMode'],
    ]);
  });

  it('restarts after a full disk, but not after a mistake in the configuration', () => {
    const unit = text('deploy/evfwd.service');
    expect(unit).toMatch(/^Restart=on-failure$/m);
    expect(unit).toMatch(/^RestartPreventExitStatus=2$/m);
    expect(unit).not.toMatch(/^MemoryDenyWriteExecute=/m);
  });
});

describe('the examples for many machines', () => {
  it('run PostgreSQL as that of the service, with nothing that may lose data', () => {
    const [imports, service] = [
      'examples/many-machines/compose.yaml',
      'deploy/compose.postgres.yaml',
    ]
      .map((path) => parse(text(path)) as { services: { postgres: { command: string[] } } })
      .map(({ services }) => services.postgres);
    expect(imports).toEqual(service);
    expect(imports!.command.join(' ')).not.toMatch(/fsync|full_page_writes|synchronous_commit/);
    expect(imports!.command).toContain('autovacuum_naptime=15s');
    expect(text('docs/many-machines.md')).toContain('`autovacuum_naptime`: 15s');
  });

  it('mount the files at one path for planner and workers in Kubernetes, with secrets from a Secret', () => {
    const documents = parseAllDocuments(text('examples/many-machines/kubernetes.yaml'));
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
    const [deployment, job] = documents.map((document) => document.toJS() as Workload);
    expect([deployment!.kind, job!.kind]).toEqual(['Deployment', 'Job']);
    for (const { spec } of [deployment!, job!]) {
      const { containers, volumes } = spec.template.spec;
      const [{ volumeMounts, envFrom }] = containers;
      expect(volumeMounts).toContainEqual({ name: 'events', mountPath: '/events', readOnly: true });
      expect(envFrom).toEqual([{ secretRef: { name: 'evfwd' } }]);
      const names = volumes.map(({ name }) => name);
      expect(volumeMounts.map(({ name }) => name)).toEqual(names);
    }
  });

  it('tell each pod of an Indexed Job how many shards there are', () => {
    const { spec } = parse(text('examples/many-machines/shards.yaml')) as {
      spec: {
        completions: number;
        template: { spec: { containers: [{ env: { name: string; value?: string }[] }] } };
      };
    };
    const { env } = spec.template.spec.containers[0];
    expect(env).toContainEqual({ name: 'JOB_COMPLETIONS', value: String(spec.completions) });
  });
});

describe('the rules for Prometheus', () => {
  it('use metrics that the documentation describes', () => {
    const rules = text('deploy/prometheus-rules.yml');
    const manual = text('docs/serve-operating.md');
    const { groups } = parse(rules) as { groups: [{ rules: { expr: string }[] }] };
    const used = groups[0].rules.flatMap(({ expr }) => expr.match(/evfwd_\w+/g) ?? []);
    expect(used.length).toBeGreaterThan(5);
    for (const name of used) expect(manual).toMatch(new RegExp(`^- \`${name}[\`{]`, 'm'));
  });
});

interface Workload {
  readonly kind: string;
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly [
          {
            readonly volumeMounts: readonly { readonly name: string }[];
            readonly envFrom: unknown;
          },
        ];
        readonly volumes: readonly { readonly name: string }[];
      };
    };
  };
}

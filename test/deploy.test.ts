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

interface Compose {
  readonly services: { readonly evfwd: Readonly<Record<string, unknown>> };
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

describe('the unit for systemd', () => {
  it('restarts after a full disk, but not after a mistake in the configuration', () => {
    const unit = text('deploy/evfwd.service');
    expect(unit).toMatch(/^Restart=on-failure$/m);
    expect(unit).toMatch(/^RestartPreventExitStatus=2$/m);
    expect(unit).not.toMatch(/^MemoryDenyWriteExecute=/m);
  });
});

describe('the examples for many machines', () => {
  it('give PostgreSQL a volume, and its password to nobody by name', () => {
    const { services } = parse(text('examples/many-machines/compose.yaml')) as {
      services: Record<string, { volumes?: string[]; environment: Record<string, string> }>;
    };
    expect(services.postgres?.volumes).toEqual(['postgres:/var/lib/postgresql/data']);
    expect(services.worker?.environment.EVFWD_STORE).toBe('postgres://evfwd@postgres/evfwd');
    expect(services.worker?.environment.PGPASSWORD).toBe('${POSTGRES_PASSWORD}');
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

import { availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os';

/** The facts that the numbers depend on. */
export function machine() {
  return {
    date: new Date().toISOString().slice(0, 16).replace('T', ' '),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release()}`,
    node: process.version,
    load: loadavg()[0],
  };
}

export function describeMachine(facts) {
  const { date, cpu, cores, memoryGb, system, node, load } = facts;
  return `${date} UTC · ${cores} × ${cpu}, ${memoryGb} GB · ${system} · Node ${node} · load at the start ${load.toFixed(1)}`;
}

import { escapeUnprintable } from '@gateramp/core/domain';
import { VERSION } from '@gateramp/core/http';
import { AuditAlteredError } from '@gateramp/core/ports';
import { scrubText } from '@gateramp/core/runtime';
import { banner } from './banner.js';
import { configOfProcess, type Config, isDurable, isJsonLogSet } from './config/config.js';
import { bindsLoopbackOnly, hasDemoPartner } from './demo/has-demo-partner.js';
import { LIVE_ON_SANDBOX, liveProviderOf, NO_LIVE_PROVIDER } from './live-provider.js';
import { failureLine, openLog, type Log } from './log.js';
import { readyLine } from './ready-line.js';
import { startServer, type Server } from './server.js';
import { StartError } from './start-error.js';
import { onStopSignal } from './stop-signals.js';

/** Starts the reference server: configuration, composition, listeners; then prints the ready line. */
async function main(): Promise<void> {
  const config = configOfProcess();
  const log = await openLog(config.log, config.logLevel);
  exitOnBugs(log);
  for (const warning of [
    ...config.warnings,
    ...exposureWarnings(config),
    ...liveWarnings(config),
    ...durabilityWarnings(config),
  ])
    log.warn(warning);
  let started: Server | null = null;
  onStopSignal(
    () => void stop(started, log),
    () => process.exit(1),
  );
  const server = await startServer(config, log);
  started = server;
  log.info({ version: VERSION, role: config.role }, 'Ready');
  process.on('SIGUSR2', () => server.drainWorker());
  await announce(config, server);
}

async function announce(config: Config, { origins, operatorLink }: Server): Promise<void> {
  // The reader of the line may close the pipe once it has read it.
  process.stdout.on('error', () => undefined);
  const text =
    config.log === 'pretty'
      ? banner({
          origins,
          keptIn: config.database !== null ? 'Postgres' : config.dataDir,
          hasCommand: isDurable(config),
          hasDemoPartner: hasDemoPartner(config),
          liveProvider: liveProviderOf(config),
          operatorLink: await operatorLink(),
        })
      : readyLine(origins);
  process.stdout.write(`${text}\n`);
}

/** A server that is still starting has no work to wait for. */
async function stop(server: Server | null, log: Log): Promise<void> {
  log.info('Stopping: waiting for running work');
  const outcome = await server?.drain();
  if (outcome === 'cut_short') log.warn('Stopped before all work had finished');
  else log.info('Stopped');
  process.exit(0);
}

/** After an uncaught exception nothing in memory can be trusted: report it and exit. */
function exitOnBugs(log: Log): void {
  const end = (error: unknown): void => {
    log.fatal({ err: error }, 'Uncaught exception');
    process.exit(1);
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}

function exposureWarnings(config: Config): readonly string[] {
  if (bindsLoopbackOnly(config.host)) return [];
  return [
    `GATE_HOST=${config.host}: the operators' port (GATE_OPS_PORT) can be reached from other machines without a key. Restrict it to your monitoring.`,
    ...(config.publicUrls.sandboxWidget === undefined &&
    config.publicUrls.widget === undefined &&
    config.role !== 'worker'
      ? [
          `GATE_HOST=${config.host}: the checkout works on this machine only. Set GATE_SANDBOX_WIDGET_URL and GATE_WIDGET_URL, GATE_SANDBOX_URL and GATE_LIVE_URL to its public addresses and those of the API.`,
        ]
      : []),
    ...(config.seed === null && config.demo
      ? [
          `GATE_HOST=${config.host}: this server can be reached from other machines, so there is no demo partner, whose keys are public. Set GATE_SEED_FILE.`,
        ]
      : []),
    ...(config.allowPrivateWebhooks
      ? [`GATE_HOST=${config.host}: webhooks to private addresses are allowed. Set GATE_ALLOW_PRIVATE_WEBHOOKS=off.`]
      : []),
  ];
}

function liveWarnings(config: Config): readonly string[] {
  const provider = liveProviderOf(config);
  if (provider === 'legs') return [];
  if (provider === 'none') return [`${NO_LIVE_PROVIDER} Live checkouts, payments and trades are refused.`];
  const hasLivePartner = config.seed?.partners.some((partner) => partner.live_enabled) ?? false;
  return isDurable(config) || hasLivePartner ? [LIVE_ON_SANDBOX] : [];
}

/** Warnings for servers with durable data. */
function durabilityWarnings(config: Config): readonly string[] {
  const { database, allowPrivateWebhooks, role } = config;
  if (!isDurable(config) || role === 'worker') return [];
  const place = database === null ? 'GATE_DATA_DIR' : 'DATABASE_URL';
  return [
    ...(hasDemoPartner(config)
      ? [
          `GATE_DEMO=on with ${place}: the demo partner, whose test keys are public, is stored. Set GATE_DEMO=off, or GATE_SEED_FILE.`,
        ]
      : []),
    ...(hasDemoPartner(config) && !allowPrivateWebhooks
      ? [
          'Webhooks to private addresses are blocked, including those to the demo shop. Set GATE_ALLOW_PRIVATE_WEBHOOKS=on to receive them.',
        ]
      : []),
  ];
}

/** Reports why the server did not start, in the format of the log if that is JSON: the settings may be what is wrong. */
function startFailure(error: unknown): string {
  if (isJsonLogSet()) return failureLine(error);
  const text =
    error instanceof StartError || error instanceof AuditAlteredError
      ? error.message
      : error instanceof Error
        ? (error.stack ?? error.message)
        : String(error);
  return `${scrubText(text).split('\n').map(escapeUnprintable).join('\n')}\n`;
}

main().catch((error: unknown) => {
  // After the warnings of this turn, which the log writes together.
  setImmediate(() => {
    process.stderr.write(startFailure(error));
    process.exit(1);
  });
});

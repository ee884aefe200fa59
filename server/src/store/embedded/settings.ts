import { embeddedLimits } from './embedded-limits.ts'
import { clusterName } from './cluster-processes.ts'
import { socketDirectory } from './socket.ts'

/**
 * The whole of postgresql.conf, written anew at each start. For a small machine: about 200 MB.
 * Statements and row contents stay out of the log (terse, no statement text): they may hold what
 * must not be printed.
 */
export function settings(cluster: string, durable: boolean): string {
  const lines: Record<string, string | number> = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: socketDirectory(cluster) ?? '',
    unix_socket_permissions: '0700',
    ssl: 'off',
    password_encryption: 'scram-sha-256',
    cluster_name: clusterName(cluster),
    max_connections: durable ? embeddedLimits.connectionsMax : embeddedLimits.testConnectionsMax,
    shared_buffers: '128MB',
    effective_cache_size: '512MB',
    work_mem: '8MB',
    maintenance_work_mem: '64MB',
    max_wal_size: '512MB',
    max_worker_processes: 4,
    max_parallel_workers_per_gather: 0,
    max_parallel_maintenance_workers: 0,
    jit: 'off',
    // A plan is made once and kept until the table's statistics change. At the usual minute, statements that were planned while a table was
    // empty read all of it for the first minute of a load, and the outbox is 100,000 dead rows long before they are swept: 10 ms each time.
    autovacuum_naptime: '10s',
    // At so short a pause the usual tenth of new rows means a new look at every growing table each time, a tenth of what a settling load takes.
    // Half as many again are enough, 500 at least, and a quarter of the usual sample: what is asked is found by its key.
    autovacuum_analyze_scale_factor: 0.5,
    autovacuum_analyze_threshold: 500,
    default_statistics_target: 25,
    // In the data directory, so that nothing is left behind elsewhere by a kill, whatever size /dev/shm has.
    dynamic_shared_memory_type: 'mmap',
    fsync: durable ? 'on' : 'off',
    // Without fsync a commit is still written out: it survives the process, not the machine.
    synchronous_commit: 'on',
    full_page_writes: durable ? 'on' : 'off',
    restart_after_crash: 'on',
    timezone: 'UTC',
    log_timezone: 'UTC',
    lc_messages: 'C',
    log_destination: 'stderr',
    logging_collector: 'off',
    log_line_prefix: '%m [%p] ',
    log_min_messages: 'warning',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_checkpoints: 'off',
    log_connections: '',
  }
  // On macOS a plain fsync stops at the drive's cache.
  if (durable && process.platform === 'darwin') lines['wal_sync_method'] = 'fsync_writethrough'
  const text = Object.entries(lines).map(([name, value]) => `${name} = '${value}'`)
  return `# Written by florin at each start; use ALTER SYSTEM for changes.\n${text.join('\n')}\n`
}

/** pg_hba.conf: the loopback and the socket, each with the password, nothing else. */
export const ACCESS_RULES = [
  '# Written by florin at each start.',
  'local all all scram-sha-256',
  'host all all 127.0.0.1/32 scram-sha-256',
  'host replication all 127.0.0.1/32 scram-sha-256',
  '',
].join('\n')

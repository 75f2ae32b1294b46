import Glibc

/// A serial executor with one thread of its own, so that blocking C calls never occupy the cooperative pool.
///
/// The thread keeps the executor alive until `stop`; jobs that were enqueued before are still run.
@safe package final class ThreadExecutor: SerialExecutor, @unchecked Sendable {
    // `queue`, `isWaiting` and `stopping` are guarded by `mutex`; the two pointers never change after `init`.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let wakeUp: UnsafeMutablePointer<pthread_cond_t>
    private var queue: [UnownedJob] = []
    private var isWaiting = false
    private var stopping = false

    /// Starts the thread.
    package init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe wakeUp = .allocate(capacity: 1)
        let made = unsafe pthread_mutex_init(mutex, nil) == 0 && pthread_cond_init(wakeUp, nil) == 0
        precondition(made, "a mutex and a condition can be made")
        var thread = pthread_t()
        let entry = unsafe Unmanaged.passRetained(self).toOpaque()
        let code = unsafe pthread_create(&thread, nil, runThread, entry)
        precondition(code == 0, "a thread can be started")
        pthread_detach(thread)
    }

    deinit {
        unsafe pthread_cond_destroy(wakeUp)
        unsafe pthread_mutex_destroy(mutex)
        unsafe wakeUp.deallocate()
        unsafe mutex.deallocate()
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        unsafe pthread_mutex_lock(mutex)
        queue.append(job)
        // Nothing of this executor is touched behind the unlock: the job may be the last one, and free it.
        if isWaiting { unsafe pthread_cond_signal(wakeUp) }
        unsafe pthread_mutex_unlock(mutex)
    }

    /// Lets the thread end when it has nothing left to run.
    package func stop() {
        unsafe pthread_mutex_lock(mutex)
        stopping = true
        unsafe pthread_cond_signal(wakeUp)
        unsafe pthread_mutex_unlock(mutex)
    }

    fileprivate func run() {
        while let jobs = nextJobs() {
            for job in jobs { unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
        }
    }

    private func nextJobs() -> [UnownedJob]? {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while queue.isEmpty && !stopping {
            isWaiting = true
            unsafe pthread_cond_wait(wakeUp, mutex)
            isWaiting = false
        }
        guard !queue.isEmpty else { return nil }
        defer { queue = [] }
        return queue
    }
}

private func runThread(_ raw: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let raw = unsafe raw else { return nil }
    let executor = unsafe Unmanaged<ThreadExecutor>.fromOpaque(raw).takeRetainedValue()
    executor.run()
    return nil
}

//! Listening, and the connections that come of it.

use super::HttpSettings;
use super::connections::{ConnectionLimit, reject};
use super::router::Site;
use crate::shared::Shared;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use rustix::process::{Resource, getrlimit, setrlimit};
use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

/// How long a client may take to say what it wants, also on a connection that was used before.
const HEADER_TIME: Duration = Duration::from_secs(10);
/// How long an ending server waits for what it has begun.
pub(crate) const DRAIN_TIME: Duration = Duration::from_secs(30);
/// How long connections have to say goodbye when all is answered.
const GOODBYE: Duration = Duration::from_millis(500);
/// Open connections, of all addresses together.
const MOST_CONNECTIONS: usize = 4096;
/// After an error that will not be gone at once, such as too many open files.
const BREATH: Duration = Duration::from_millis(50);
const MOST_HEADERS: usize = 100;

pub struct HttpListener {
    listener: TcpListener,
    settings: HttpSettings,
}

impl HttpListener {
    /// Nobody is let in before `serve`.
    pub async fn bind(host: &str, port: u16, settings: HttpSettings) -> io::Result<Self> {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let listener = TcpListener::bind((host, port)).await?;
        take_all_files();
        Ok(Self { listener, settings })
    }

    /// Where it listens; a port of 0 has become a real one.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until the server is told to end, and then until all that was begun is answered.
    pub(crate) async fn serve(self, shared: Arc<Shared>) {
        let (ending, tasks) = (shared.ending.clone(), shared.runtime.tasks().clone());
        let limit = Arc::new(ConnectionLimit::new(self.settings.connections.clone()));
        let site = Arc::new(Site::new(shared, self.settings));
        let connections = GracefulShutdown::new();
        let accepting = accept(&self.listener, &limit, &site, &connections);
        let answered = async {
            ending.cancelled().await;
            let all_done = async { tokio::join!(site.all_answered(), tasks.all_done()) };
            let _ = timeout(DRAIN_TIME, all_done).await;
        };
        // While it ends, it still says so to those who ask whether it is ready.
        tokio::select! {
            () = accepting => {}
            () = answered => {}
            () = keep_time(&site) => {}
        }
        site.hang_up();
        let _ = timeout(GOODBYE, connections.shutdown()).await;
    }
}

/// Ends abandoned sessions. It also keeps timers cheap: a timer that is due before all others wakes a
/// sleeping thread, every request starts one, and with this there is always an earlier one.
async fn keep_time(site: &Site) {
    loop {
        sleep(HEADER_TIME / 2).await;
        site.sweep();
    }
}

/// Every connection is an open file, and the usual bound was made for other times.
fn take_all_files() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // Where that is not allowed, there is room for fewer.
    let _ = setrlimit(Resource::Nofile, limit);
}

async fn accept(
    listener: &TcpListener,
    limit: &Arc<ConnectionLimit>,
    site: &Arc<Site>,
    connections: &GracefulShutdown,
) {
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else {
            return;
        };
        match listener.accept().await {
            Ok((stream, peer)) => match limit.count(peer.ip(), Instant::now()) {
                Ok(counted) => {
                    let connection = connections.watch(serve_one(stream, site));
                    tokio::spawn(async move {
                        // A connection that breaks has nobody to tell of it.
                        let _ = connection.await;
                        drop((place, counted));
                    });
                }
                Err(too_many) => {
                    site.count_rejected();
                    if too_many.is_news {
                        log_rejection(peer.ip(), limit.most());
                    }
                    reject(stream);
                }
            },
            Err(error) => {
                tracing::warn!("a connection could not be taken: {error}");
                sleep(BREATH).await;
            }
        }
    }
}

fn log_rejection(address: IpAddr, most: usize) {
    tracing::warn!(
        "rejecting connections from {address}: it has {most} open (`connections_per_address` under \
         [server]); add the address of a proxy to `trusted_proxies`"
    );
}

fn serve_one(
    stream: TcpStream,
    site: &Arc<Site>,
) -> impl hyper_util::server::graceful::GracefulConnection<Error: Send> + Send + 'static {
    // Without it every word of a stream waits for the one before to be acknowledged.
    let _ = stream.set_nodelay(true);
    let site = Arc::clone(site);
    let service = service_fn(move |request| {
        let site = Arc::clone(&site);
        async move { Ok::<_, Infallible>(site.answer(request).await) }
    });
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIME)
        .max_headers(MOST_HEADERS);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(Some(HEADER_TIME))
        .max_concurrent_streams(256);
    builder.serve_connection(TokioIo::new(stream), service).into_owned()
}

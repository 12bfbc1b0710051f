//! Each fault, seen by a client that is a bare socket, before a server that counts.

use std::{io::ErrorKind, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use super::{call, send};
use crate::{
    fault::{FaultProxy, FaultServer, Reply, Rule, WireFault, refused_address},
    http::{ReadError, Reader},
};

const SOON: Duration = Duration::from_secs(5);
const BODY: &str = "0123456789";

/// A proxy before a server that answers everything with ten bytes.
async fn pair() -> (FaultProxy, FaultServer) {
    let server = FaultServer::start().await.unwrap();
    server.reply("", "", Reply::new(200, "text/plain", BODY));
    (FaultProxy::start(server.address()).await.unwrap(), server)
}

/// Everything that comes back for one request, and how it ended.
async fn bytes(proxy: &FaultProxy) -> (Vec<u8>, Result<(), ErrorKind>) {
    let mut reader = Reader::new(TcpStream::connect(proxy.address()).await.unwrap());
    let mut seen = Vec::new();
    if let Err(ReadError::Io(error)) = send(&mut reader, "POST", "/act", "x").await {
        return (seen, Err(error.kind()));
    }
    let end = timeout(SOON, reader.stream.read_to_end(&mut seen))
        .await
        .expect("the proxy lets go of the connection");
    (seen, end.map(drop).map_err(|error| error.kind()))
}

#[tokio::test]
async fn without_a_plan_every_byte_passes_and_connections_are_kept() {
    let (proxy, server) = pair().await;
    let mut reader = Reader::new(TcpStream::connect(proxy.address()).await.unwrap());
    for path in ["/1", "/2?q"] {
        send(&mut reader, "POST", path, "body").await.unwrap();
        let response = reader.response(false, 100).await.unwrap();
        assert_eq!(
            (response.status, response.body.as_slice()),
            (200, BODY.as_bytes())
        );
    }
    call(proxy.address(), "GET", "/3", "").await.unwrap();
    let seen: Vec<_> = proxy
        .requests()
        .into_iter()
        .map(|r| (r.connection, r.on_connection, r.method, r.path, r.forwarded))
        .collect();
    assert_eq!(
        seen,
        [
            (1, 1, "POST".to_owned(), "/1".to_owned(), 1),
            (1, 2, "POST".to_owned(), "/2?q".to_owned(), 1),
            (2, 1, "GET".to_owned(), "/3".to_owned(), 1),
        ]
    );
    assert_eq!(proxy.requests()[0].body_text(), "body");
    assert_eq!(server.requests().len(), 3);
    assert_eq!(
        (
            proxy.connections(),
            proxy.strikes().len(),
            proxy.incomplete()
        ),
        (2, 0, 0)
    );
}

#[tokio::test]
async fn each_fault_delivers_as_often_as_it_says() {
    let reply = || Reply::new(503, "text/plain", "busy");
    let faults = [
        WireFault::ResetBeforeRead,
        WireFault::CloseBeforeRead,
        WireFault::ResetAfterRead,
        WireFault::CloseAfterRead,
        WireFault::ForwardThenReset,
        WireFault::ForwardThenClose,
        WireFault::Truncate,
        WireFault::TruncateHead,
        WireFault::Garbage,
        WireFault::ForwardThenGarbage,
    ];
    for fault in faults {
        let (proxy, server) = pair().await;
        proxy.plan().set(Rule::on("POST", "/act", fault.clone()));
        let (seen, end) = bytes(&proxy).await;
        assert_eq!(
            server.requests().len(),
            fault.deliveries() as usize,
            "{fault:?}"
        );
        let recorded = proxy.requests();
        assert_eq!(
            recorded.len(),
            usize::from(!fault.before_read()),
            "{fault:?}"
        );
        assert_eq!(
            recorded.first().map_or(0, |request| request.forwarded),
            fault.deliveries(),
            "{fault:?}"
        );
        let resets = matches!(
            fault,
            WireFault::ResetBeforeRead | WireFault::ResetAfterRead | WireFault::ForwardThenReset
        );
        assert_eq!(
            end,
            if resets {
                Err(ErrorKind::ConnectionReset)
            } else {
                Ok(())
            },
            "{fault:?}"
        );
        match fault {
            WireFault::Truncate => assert!(
                seen.starts_with(b"HTTP/1.1 200") && seen.ends_with(b"\r\n\r\n01234"),
                "{seen:?}"
            ),
            WireFault::TruncateHead => assert!(
                seen.starts_with(b"HTTP/1.1 200") && !seen.windows(4).any(|w| w == b"\r\n\r\n"),
                "{seen:?}"
            ),
            WireFault::Garbage | WireFault::ForwardThenGarbage => {
                assert!(seen.len() == 256 && !seen.starts_with(b"HTTP"))
            }
            _ => assert_eq!(seen, b"", "{fault:?}"),
        }
        let strikes: Vec<_> = proxy
            .strikes()
            .into_iter()
            .map(|strike| strike.fault)
            .collect();
        assert_eq!(strikes, [fault]);
    }
    for fault in [
        WireFault::Duplicate,
        WireFault::Status(reply()),
        WireFault::ForwardThenStatus(reply()),
    ] {
        let (proxy, server) = pair().await;
        proxy.plan().set(Rule::any(fault.clone()));
        let response = call(proxy.address(), "POST", "/act", "").await.unwrap();
        let expected = if fault == WireFault::Duplicate {
            (200, BODY)
        } else {
            (503, "busy")
        };
        assert_eq!(
            (response.status, response.body.as_slice()),
            (expected.0, expected.1.as_bytes())
        );
        assert_eq!(
            server.requests().len(),
            fault.deliveries() as usize,
            "{fault:?}"
        );
    }
}

#[tokio::test]
async fn hanging_faults_answer_nothing_and_let_go_of_a_client_that_leaves() {
    for fault in [WireFault::Hang, WireFault::ForwardThenHang] {
        let (proxy, server) = pair().await;
        proxy.plan().set(Rule::any(fault.clone()));
        let outcome = timeout(
            Duration::from_millis(200),
            call(proxy.address(), "POST", "/act", ""),
        )
        .await;
        assert!(outcome.is_err(), "{fault:?}: {outcome:?}");
        server
            .wait_for_requests(fault.deliveries() as usize, SOON)
            .await
            .unwrap();
        assert_eq!(
            server.requests().len(),
            fault.deliveries() as usize,
            "{fault:?}"
        );
        timeout(SOON, proxy.stop())
            .await
            .expect("a hanging connection doesn't hold up the stop");
    }
}

#[tokio::test]
async fn slow_replies_come_late_and_late_requests_arrive_without_their_client() {
    let (proxy, server) = pair().await;
    proxy
        .plan()
        .set(Rule::any(WireFault::Slow(Duration::from_millis(300))));
    let early = timeout(
        Duration::from_millis(100),
        call(proxy.address(), "POST", "/act", ""),
    )
    .await;
    assert!(early.is_err());
    server.wait_for_requests(1, SOON).await.unwrap();
    assert_eq!(
        server.requests().len(),
        1,
        "a slow reply is one to a request that arrived at once"
    );
    assert_eq!(
        call(proxy.address(), "POST", "/act", "")
            .await
            .unwrap()
            .status,
        200
    );

    server.forget();
    proxy
        .plan()
        .set(Rule::any(WireFault::LateForward(Duration::from_millis(
            300,
        ))));
    let early = timeout(
        Duration::from_millis(100),
        call(proxy.address(), "POST", "/act", ""),
    )
    .await;
    assert!(early.is_err());
    assert_eq!(server.requests().len(), 0);
    server
        .wait_for_requests(1, SOON)
        .await
        .expect("it arrives although its client has gone");
}

#[tokio::test]
async fn a_refusing_peer_refuses_new_connections_and_keeps_old_ones() {
    let (proxy, _server) = pair().await;
    let mut kept = Reader::new(TcpStream::connect(proxy.address()).await.unwrap());
    proxy
        .plan()
        .set(Rule::on("GET", "/look", WireFault::Refuse).nth(1));
    for path in ["/look", "/again"] {
        send(&mut kept, "GET", path, "").await.unwrap();
        assert_eq!(kept.response(false, 100).await.unwrap().status, 200);
        let error = TcpStream::connect(proxy.address()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ConnectionRefused);
    }
    proxy.listen().await;
    assert_eq!(
        call(proxy.address(), "GET", "/look", "")
            .await
            .unwrap()
            .status,
        200
    );
    proxy.refuse().await;
    assert_eq!(
        TcpStream::connect(proxy.address())
            .await
            .unwrap_err()
            .kind(),
        ErrorKind::ConnectionRefused
    );
}

#[tokio::test]
async fn rules_pick_the_request_by_method_path_body_and_turn() {
    let (proxy, _server) = pair().await;
    let gone = |text: &str| WireFault::Status(Reply::new(410, "text/plain", text));
    proxy
        .plan()
        .add(Rule::on("POST", "/click", gone("second click")).nth(2));
    proxy.plan().add(Rule::any(gone("body")).body("magic"));
    proxy
        .plan()
        .add(Rule::any(gone("twice")).path("/twice").times(2));
    let mut statuses = Vec::new();
    for (method, path, body) in [
        ("POST", "/click", ""),
        ("GET", "/click", ""),
        ("POST", "/click", ""),
        ("POST", "/click", ""),
        ("POST", "/other", "some magic here"),
        ("GET", "/twice", ""),
        ("GET", "/twice", ""),
        ("GET", "/twice", ""),
    ] {
        statuses.push(
            call(proxy.address(), method, path, body)
                .await
                .unwrap()
                .status,
        );
    }
    assert_eq!(statuses, [200, 200, 410, 200, 410, 410, 410, 200]);
    proxy.plan().clear();
    assert_eq!(
        call(proxy.address(), "POST", "/other", "magic")
            .await
            .unwrap()
            .status,
        200
    );
}

#[tokio::test]
async fn a_request_that_ends_in_the_middle_is_counted_and_not_recorded() {
    let (proxy, server) = pair().await;
    let mut client = TcpStream::connect(proxy.address()).await.unwrap();
    client
        .write_all(b"POST /act HTTP/1.1\r\ncontent-length: 9\r\n\r\nhalf")
        .await
        .unwrap();
    client.shutdown().await.unwrap();
    let mut rest = Vec::new();
    timeout(SOON, client.read_to_end(&mut rest))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        (
            proxy.incomplete(),
            proxy.requests().len(),
            server.requests().len()
        ),
        (1, 0, 0)
    );
}

#[tokio::test]
async fn a_dead_server_behind_the_proxy_is_a_502_that_was_passed_on_to_nobody() {
    let proxy = FaultProxy::start(refused_address().unwrap()).await.unwrap();
    assert_eq!(
        call(proxy.address(), "POST", "/act", "")
            .await
            .unwrap()
            .status,
        502
    );
    assert_eq!(proxy.requests()[0].forwarded, 0);
}

#[tokio::test(start_paused = true)]
async fn paused_time_of_a_test_does_not_reach_the_peer() {
    let (proxy, _server) = pair().await;
    let begun = std::time::Instant::now();
    proxy
        .wait_for_requests(1, Duration::from_millis(150))
        .await
        .unwrap_err();
    assert!(begun.elapsed() >= Duration::from_millis(150));
}

#[tokio::test]
async fn a_stopped_peer_refuses() {
    let (proxy, server) = pair().await;
    let addresses = [proxy.address(), server.address()];
    proxy.stop().await;
    drop(server);
    for address in addresses {
        assert_eq!(
            TcpStream::connect(address).await.unwrap_err().kind(),
            ErrorKind::ConnectionRefused
        );
    }
}

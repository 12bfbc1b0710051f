//! Messages in pieces, and messages that are none.

use tokio::{
    io::AsyncWriteExt,
    net::{TcpListener, TcpStream},
};

use crate::http::{MAX_HEAD, ReadError, Reader, decode, encode};

/// A reader that gets `pieces` one after the other and then the end.
async fn reader(pieces: Vec<Vec<u8>>) -> Reader {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut client = TcpStream::connect(listener.local_addr().unwrap())
        .await
        .unwrap();
    let (server, _) = listener.accept().await.unwrap();
    tokio::spawn(async move {
        for piece in pieces {
            if client.write_all(&piece).await.is_err() {
                return;
            }
            tokio::task::yield_now().await;
        }
    });
    Reader::new(server)
}

#[tokio::test]
async fn a_request_that_comes_byte_by_byte_is_whole() {
    let bytes = b"POST /a?b=%20c HTTP/1.1\r\nContent-Length: 3\r\n\r\nxyz";
    let mut reader = reader(bytes.iter().map(|byte| vec![*byte]).collect()).await;
    let request = reader.request(10).await.unwrap().unwrap();
    assert_eq!(
        (
            request.method.as_str(),
            request.path(),
            request.query("b").as_deref()
        ),
        ("POST", "/a", Some(" c"))
    );
    assert_eq!(request.body, b"xyz");
    assert_eq!(request.raw, bytes);
    assert!(reader.request(10).await.unwrap().is_none());
}

#[tokio::test]
async fn two_requests_in_one_piece_are_two() {
    let mut reader = reader(vec![
        b"GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\nConnection: close\r\n\r\n".to_vec(),
    ])
    .await;
    let first = reader.request(0).await.unwrap().unwrap();
    let second = reader.request(0).await.unwrap().unwrap();
    assert_eq!(
        (first.path(), first.last, second.path(), second.last),
        ("/1", false, "/2", true)
    );
}

#[tokio::test]
async fn chunks_are_joined_and_kept_as_they_came() {
    let bytes = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nTrailer: z\r\n\r\n";
    let mut reader = reader(bytes.chunks(7).map(<[u8]>::to_vec).collect()).await;
    let request = reader.request(10).await.unwrap().unwrap();
    assert_eq!(request.body, b"abcde");
    assert_eq!(request.raw, bytes);
}

#[tokio::test]
async fn what_is_too_large_is_refused_before_it_is_read() {
    let mut long_head = b"GET / HTTP/1.1\r\nx: ".to_vec();
    long_head.resize(2 * MAX_HEAD, b'a');
    for bytes in [
        b"POST / HTTP/1.1\r\ncontent-length: 11\r\n\r\n".to_vec(),
        b"POST / HTTP/1.1\r\ncontent-length: 18446744073709551615\r\n\r\n".to_vec(),
        b"POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffff\r\n".to_vec(),
        long_head,
    ] {
        let outcome = reader(vec![bytes]).await.request(10).await;
        assert!(matches!(outcome, Err(ReadError::TooLarge)), "{outcome:?}");
    }
}

#[tokio::test]
async fn what_is_no_http_is_an_error_and_no_panic() {
    for bytes in [
        "\r\n\r\n",
        "GET /\r\n\r\n",
        "GET / HTTP/1.1\r\nnocolon\r\n\r\n",
        "POST / HTTP/1.1\r\ncontent-length: -1\r\n\r\n",
        "GET / SPDY/3\r\n\r\n",
    ] {
        let outcome = reader(vec![bytes.into()]).await.request(10).await;
        assert!(
            matches!(outcome, Err(ReadError::Malformed(_))),
            "{bytes:?}: {outcome:?}"
        );
    }
    let outcome = reader(vec![
        b"POST / HTTP/1.1\r\ncontent-length: 3\r\n\r\nab".to_vec(),
    ])
    .await
    .request(10)
    .await;
    assert!(matches!(outcome, Err(ReadError::Incomplete)), "{outcome:?}");
}

#[tokio::test]
async fn interim_replies_are_passed_over() {
    let bytes = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\nuntil the end";
    let response = reader(vec![bytes.to_vec()])
        .await
        .response(false, 100)
        .await
        .unwrap();
    assert_eq!(
        (response.status, response.body.as_slice(), response.last),
        (200, b"until the end".as_slice(), true)
    );
}

#[test]
fn queries_survive_the_round_trip_and_bad_escapes_stay() {
    for text in ["", "a b&c=d", "é🎉%", "100%zz"] {
        assert_eq!(decode(&encode(text)), text);
    }
    assert_eq!(decode("%zz%4"), "%zz%4");
    assert_eq!(decode("%+1"), "% 1");
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";
import {Nonces} from "@openzeppelin/contracts/utils/Nonces.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {RSA} from "@openzeppelin/contracts/utils/cryptography/RSA.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {IPeerRegistry} from "./interfaces/IPeerRegistry.sol";
import {IRounds} from "./interfaces/IRounds.sol";
import {PeerIds} from "./libraries/PeerIds.sol";
import {RsaKeys} from "./libraries/RsaKeys.sol";

/// @title PeerRegistry
contract PeerRegistry is IPeerRegistry, AccessControl, EIP712, Nonces {
    /// @dev Kind of a peer's key.
    enum KeyKind {
        Secp256k1Even,
        Secp256k1Odd,
        Rsa
    }

    /// @dev A registered peer. The peer id follows from kind and digest.
    struct Peer {
        // slot 0
        bytes32 digest; // x of a secp256k1 point, or sha-256 of an RSA key
        // slot 1
        address account;
        uint40 index; // in `_peersOf[account]`
        uint48 fromRound; // first round that the key counts in
        KeyKind kind;
    }

    /// @inheritdoc IPeerRegistry
    bytes32 public constant BOOTNODE_MANAGER_ROLE = keccak256("BOOTNODE_MANAGER_ROLE");

    bytes32 internal constant REGISTRATION_TYPEHASH = keccak256(
        "Registration(address account,bytes32 publicKeyHash,uint256 nonce,uint256 deadline)"
    );

    IRounds internal immutable _rounds;

    mapping(bytes32 peerKey => Peer peer) internal _peers;
    mapping(address account => bytes32[] peerKeys) internal _peersOf;
    string[] internal _bootnodes;

    /// @param admin Holds every role at first.
    /// @param clock The clock.
    constructor(address admin, IRounds clock) EIP712("Waggle PeerRegistry", "1") {
        _rounds = clock;
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
        _grantRole(BOOTNODE_MANAGER_ROLE, admin);
    }

    /// @inheritdoc IPeerRegistry
    function register(
        bytes calldata publicKey,
        bytes calldata signature,
        uint256 deadline
    ) external returns (bytes32 peerKey) {
        (peerKey, ) = _register(msg.sender, publicKey, signature, deadline);
    }

    /// @inheritdoc IPeerRegistry
    function registerRsa(
        bytes calldata modulus,
        uint32 exponent,
        bytes calldata signature,
        uint256 deadline
    ) external returns (bytes32 peerKey) {
        (peerKey, ) = _registerRsa(msg.sender, modulus, exponent, signature, deadline);
    }

    /// @inheritdoc IPeerRegistry
    function registerFor(
        address account,
        bytes calldata publicKey,
        bytes calldata signature,
        uint256 deadline,
        bytes calldata consent
    ) external returns (bytes32 peerKey) {
        bytes32 words;
        (peerKey, words) = _register(account, publicKey, signature, deadline);
        _requireConsent(account, words, consent);
    }

    /// @inheritdoc IPeerRegistry
    function registerRsaFor(
        address account,
        bytes calldata modulus,
        uint32 exponent,
        bytes calldata signature,
        uint256 deadline,
        bytes calldata consent
    ) external returns (bytes32 peerKey) {
        bytes32 words;
        (peerKey, words) = _registerRsa(account, modulus, exponent, signature, deadline);
        _requireConsent(account, words, consent);
    }

    /// @inheritdoc IPeerRegistry
    function setBootnodes(string[] calldata multiaddrs) external onlyRole(BOOTNODE_MANAGER_ROLE) {
        delete _bootnodes;
        for (uint256 i = 0; i < multiaddrs.length; ++i) _bootnodes.push(multiaddrs[i]);
        emit BootnodesSet(multiaddrs);
    }

    /// @inheritdoc IPeerRegistry
    function accountOf(bytes32 peerKey) external view returns (address account) {
        return _peers[peerKey].account;
    }

    /// @inheritdoc IPeerRegistry
    function membershipOf(bytes32 peerKey) external view returns (address account, uint64 fromRound) {
        Peer storage peer = _peers[peerKey];
        return (peer.account, peer.fromRound);
    }

    /// @inheritdoc IPeerRegistry
    function rounds() external view returns (IRounds clock) {
        return _rounds;
    }

    /// @inheritdoc IPeerRegistry
    function peerCount(address account) external view returns (uint256 count) {
        return _peersOf[account].length;
    }

    /// @inheritdoc IPeerRegistry
    function peerIdsOf(address account, uint256 offset, uint256 limit) external view returns (string[] memory peerIds) {
        bytes32[] memory peerKeys = peersOf(account, offset, limit);
        peerIds = new string[](peerKeys.length);
        for (uint256 i = 0; i < peerKeys.length; ++i) peerIds[i] = peerIdOf(peerKeys[i]);
    }

    /// @inheritdoc IPeerRegistry
    function bootnodes() external view returns (string[] memory multiaddrs) {
        return _bootnodes;
    }

    /// @inheritdoc IPeerRegistry
    function peerIdOf(bytes32 peerKey) public view returns (string memory peerId) {
        Peer storage peer = _peers[peerKey];
        if (peer.account == address(0)) revert PeerRegistry_UnknownPeer(peerKey);
        return _peerIdOf(peer.kind, peer.digest);
    }

    /// @inheritdoc IPeerRegistry
    function peersOf(address account, uint256 offset, uint256 limit) public view returns (bytes32[] memory peerKeys) {
        bytes32[] storage listed = _peersOf[account];
        uint256 rest = offset < listed.length ? listed.length - offset : 0;
        peerKeys = new bytes32[](limit < rest ? limit : rest);
        for (uint256 i = 0; i < peerKeys.length; ++i) peerKeys[i] = listed[offset + i];
    }

    /// @inheritdoc IPeerRegistry
    function nonces(address account) public view override(IPeerRegistry, Nonces) returns (uint256 nonce) {
        return super.nonces(account);
    }

    /// @dev Recovering the key's own address proves that the key is on the curve.
    function _register(
        address account,
        bytes calldata publicKey,
        bytes calldata signature,
        uint256 deadline
    ) internal returns (bytes32 peerKey, bytes32 words) {
        if (publicKey.length != 64) revert PeerRegistry_PublicKeyLength(publicKey.length);
        bytes32 publicKeyHash = keccak256(publicKey);
        words = _useWords(account, publicKeyHash, deadline);
        (address recovered, ECDSA.RecoverError failure, bytes32 value) = ECDSA.tryRecoverCalldata(words, signature);
        if (failure != ECDSA.RecoverError.NoError) revert PeerRegistry_MalformedSignature(failure, value);
        address expected = address(uint160(uint256(publicKeyHash)));
        if (recovered != expected) revert PeerRegistry_WrongSigner(expected, recovered);
        bool odd = uint8(publicKey[63]) & 1 == 1;
        peerKey = _bind(account, odd ? KeyKind.Secp256k1Odd : KeyKind.Secp256k1Even, bytes32(publicKey[:32]));
    }

    function _registerRsa(
        address account,
        bytes calldata modulus,
        uint32 exponent,
        bytes calldata signature,
        uint256 deadline
    ) internal returns (bytes32 peerKey, bytes32 words) {
        bytes memory publicKey = _rsaKey(modulus, exponent);
        words = _useWords(account, keccak256(publicKey), deadline);
        // OpenZeppelin's RSA refuses a signature that is not as long as the modulus, or not below it.
        if (!RSA.pkcs1Sha256(sha256(abi.encode(words)), signature, abi.encodePacked(exponent), modulus)) {
            revert PeerRegistry_WrongRsaSignature(words);
        }
        peerKey = _bind(account, KeyKind.Rsa, sha256(publicKey));
    }

    /// @dev The digest that the peer's key and a consenting account sign. Consumes the account's nonce.
    function _useWords(address account, bytes32 publicKeyHash, uint256 deadline) internal returns (bytes32 words) {
        if (block.timestamp > deadline) revert PeerRegistry_DeadlinePassed(deadline, block.timestamp);
        return
            _hashTypedDataV4(
                keccak256(abi.encode(REGISTRATION_TYPEHASH, account, publicKeyHash, _useNonce(account), deadline))
            );
    }

    /// @dev Binds a peer after its key was proven.
    function _bind(address account, KeyKind kind, bytes32 digest) internal returns (bytes32 peerKey) {
        string memory peerId = _peerIdOf(kind, digest);
        peerKey = keccak256(bytes(peerId));
        Peer storage peer = _peers[peerKey];
        address holder = peer.account;
        if (holder == account) revert PeerRegistry_AlreadyRegistered(peerKey, account);
        if (holder == address(0)) {
            uint64 open = _rounds.firstOpenRound();
            // A move to another account changes nothing: the key was known before.
            (peer.digest, peer.fromRound) = (digest, uint48(open == 0 ? 0 : open + 1));
            emit PeerRegistered(peerKey, account, peerId, peer.fromRound);
        } else {
            _unlist(holder, peer.index);
            emit PeerMoved(peerKey, holder, account);
        }
        bytes32[] storage listed = _peersOf[account];
        peer.account = account;
        peer.kind = kind;
        peer.index = uint40(listed.length);
        listed.push(peerKey);
    }

    /// @dev Takes a peer off an account's list; the last one fills the gap.
    function _unlist(address account, uint40 index) internal {
        bytes32[] storage listed = _peersOf[account];
        bytes32 last = listed[listed.length - 1];
        listed[index] = last;
        _peers[last].index = index;
        listed.pop();
    }

    /// @dev Comes last, since it may call an ERC-1271 account.
    function _requireConsent(address account, bytes32 words, bytes calldata consent) internal view {
        if (!SignatureChecker.isValidSignatureNowCalldata(account, words, consent)) {
            revert PeerRegistry_NoConsent(account);
        }
    }

    /// @dev The key's protobuf form, if its parameters are secure.
    function _rsaKey(bytes calldata modulus, uint32 exponent) internal pure returns (bytes memory publicKey) {
        uint256 bits = RsaKeys.bitsOf(modulus);
        if (bits < RsaKeys.MIN_BITS || bits > RsaKeys.MAX_BITS) revert PeerRegistry_ModulusSize(bits);
        (uint8 first, uint8 last) = (uint8(modulus[0]), uint8(modulus[modulus.length - 1]));
        if (first == 0 || last & 1 == 0) revert PeerRegistry_MalformedModulus(first, last);
        if (exponent < RsaKeys.MIN_EXPONENT || exponent & 1 == 0) revert PeerRegistry_WeakExponent(exponent);
        return RsaKeys.protobufOf(modulus, exponent);
    }

    function _peerIdOf(KeyKind kind, bytes32 digest) internal pure returns (string memory peerId) {
        return
            kind == KeyKind.Rsa ? PeerIds.ofDigest(digest) : PeerIds.ofSecp256k1(digest, kind == KeyKind.Secp256k1Odd);
    }
}

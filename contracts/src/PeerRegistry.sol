// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";
import {Nonces} from "@openzeppelin/contracts/utils/Nonces.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {IPeerRegistry} from "./interfaces/IPeerRegistry.sol";
import {PeerIds} from "./libraries/PeerIds.sol";

/// @title PeerRegistry
contract PeerRegistry is IPeerRegistry, AccessControl, EIP712, Nonces {
    /// @dev A registered peer. The peer id follows from x and the parity of y.
    struct Peer {
        // slot 0
        bytes32 x;
        // slot 1
        address account;
        bool odd;
        uint64 index; // in `_peersOf[account]`
    }

    /// @inheritdoc IPeerRegistry
    bytes32 public constant BOOTNODE_MANAGER_ROLE = keccak256("BOOTNODE_MANAGER_ROLE");

    bytes32 internal constant REGISTRATION_TYPEHASH = keccak256(
        "Registration(address account,bytes32 publicKeyHash,uint256 nonce,uint256 deadline)"
    );

    mapping(bytes32 peerKey => Peer peer) internal _peers;
    mapping(address account => bytes32[] peerKeys) internal _peersOf;
    string[] internal _bootnodes;

    /// @param admin Holds every role at first.
    constructor(address admin) EIP712("Waggle PeerRegistry", "1") {
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
        _grantRole(BOOTNODE_MANAGER_ROLE, admin);
    }

    /// @inheritdoc IPeerRegistry
    function register(
        bytes calldata publicKey,
        bytes calldata signature,
        uint256 deadline
    ) external returns (bytes32 peerKey) {
        if (publicKey.length != 64) revert PeerRegistry_PublicKeyLength(publicKey.length);
        if (block.timestamp > deadline) revert PeerRegistry_DeadlinePassed(deadline, block.timestamp);
        _requireProof(publicKey, signature, deadline);

        bytes32 x = bytes32(publicKey[:32]);
        bool odd = uint8(publicKey[63]) & 1 == 1;
        string memory peerId = PeerIds.ofSecp256k1(x, odd);
        peerKey = keccak256(bytes(peerId));

        Peer storage peer = _peers[peerKey];
        address holder = peer.account;
        if (holder == msg.sender) revert PeerRegistry_AlreadyRegistered(peerKey, msg.sender);
        if (holder == address(0)) {
            peer.x = x;
            emit PeerRegistered(peerKey, msg.sender, peerId);
        } else {
            _unlist(holder, peer.index);
            emit PeerMoved(peerKey, holder, msg.sender);
        }
        bytes32[] storage listed = _peersOf[msg.sender];
        peer.account = msg.sender;
        peer.odd = odd;
        peer.index = uint64(listed.length);
        listed.push(peerKey);
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
    function peerIdOf(bytes32 peerKey) external view returns (string memory peerId) {
        Peer storage peer = _peers[peerKey];
        if (peer.account == address(0)) revert PeerRegistry_UnknownPeer(peerKey);
        return PeerIds.ofSecp256k1(peer.x, peer.odd);
    }

    /// @inheritdoc IPeerRegistry
    function peerCount(address account) external view returns (uint256 count) {
        return _peersOf[account].length;
    }

    /// @inheritdoc IPeerRegistry
    function peersOf(address account, uint256 offset, uint256 limit) external view returns (bytes32[] memory peerKeys) {
        bytes32[] storage listed = _peersOf[account];
        uint256 rest = offset < listed.length ? listed.length - offset : 0;
        peerKeys = new bytes32[](limit < rest ? limit : rest);
        for (uint256 i = 0; i < peerKeys.length; ++i) peerKeys[i] = listed[offset + i];
    }

    /// @inheritdoc IPeerRegistry
    function bootnodes() external view returns (string[] memory multiaddrs) {
        return _bootnodes;
    }

    /// @inheritdoc IPeerRegistry
    function nonces(address account) public view override(IPeerRegistry, Nonces) returns (uint256 nonce) {
        return super.nonces(account);
    }

    /// @dev Uses up the caller's nonce. That the recovered address is the key's own shows that the key is on the curve.
    function _requireProof(bytes calldata publicKey, bytes calldata signature, uint256 deadline) internal {
        bytes32 publicKeyHash = keccak256(publicKey);
        bytes32 words = keccak256(
            abi.encode(REGISTRATION_TYPEHASH, msg.sender, publicKeyHash, _useNonce(msg.sender), deadline)
        );
        (address recovered, ECDSA.RecoverError failure, ) = ECDSA.tryRecoverCalldata(
            _hashTypedDataV4(words),
            signature
        );
        if (failure != ECDSA.RecoverError.NoError) revert PeerRegistry_MalformedSignature();
        address expected = address(uint160(uint256(publicKeyHash)));
        if (recovered != expected) revert PeerRegistry_WrongSigner(expected, recovered);
    }

    /// @dev Takes a peer off an account's list; the last one fills the gap.
    function _unlist(address account, uint64 index) internal {
        bytes32[] storage listed = _peersOf[account];
        bytes32 last = listed[listed.length - 1];
        listed[index] = last;
        _peers[last].index = index;
        listed.pop();
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {SwarmFixture} from "../SwarmFixture.sol";
import {PeerRegistry} from "../../src/PeerRegistry.sol";
import {RolloutCommitments} from "../../src/RolloutCommitments.sol";
import {Rounds} from "../../src/Rounds.sol";
import {RsaKey} from "../RsaKey.sol";

/// @dev Registers and moves a few peers among a few accounts at random, with good proofs and with those of other
/// words. The last peer's key is an RSA key.
contract RegistryHandler is SwarmFixture {
    uint256 public constant PEERS = 6;
    uint256 public constant ACCOUNTS = 3;

    mapping(uint256 index => Wallet wallet) internal _wallets;
    mapping(uint256 index => bytes32 peerKey) public peerKeys;
    mapping(uint256 index => address account) public holders;
    mapping(address account => uint256 count) public registrations;
    /// @dev First round in which a peer may commit.
    mapping(uint256 index => uint64 round) public countsFrom;
    uint256 public stolen;
    uint256 public early;

    bool private _isSubmitting;

    constructor(PeerRegistry registry_, RolloutCommitments commitments_) {
        (registry, commitments, rounds) = (registry_, commitments_, Rounds(address(commitments_.rounds())));
        for (uint256 i = 0; i < PEERS - 1; ++i) _wallets[i] = walletOf(i + 1);
    }

    /// @dev Not the fixture's: the runner calls every function of a handler.
    function setUp() public override {}

    function register(uint256 draw) external {
        uint256 index = draw % PEERS;
        address account = accountNamed((draw >> 8) % ACCOUNTS);
        if (holders[index] == account) return;
        _isSubmitting = true;
        peerKeys[index] = this.submit(index, account, account);
        _isSubmitting = false;
        if (holders[index] == address(0)) countsFrom[index] = rounds.currentRound() + 2;
        holders[index] = account;
        ++registrations[account];
    }

    function pass(uint256 draw) external {
        vm.warp(rounds.startOf(rounds.currentRound() + uint64(draw % 3)));
    }

    /// @dev Work, and a secret for tasks, for the first rounds that take them.
    function commit(uint256 draw) external {
        uint256 index = draw % PEERS;
        uint64 round = rounds.currentRound();
        vm.prank(holders[index]);
        try commitments.commit(round, peerKeys[index], "root", 1, "policy", "content", "next") {
            if (round < countsFrom[index]) ++early;
        } catch {
            require(holders[index] == address(0) || round < countsFrom[index], "a good commitment was refused");
        }
        vm.prank(holders[index]);
        try commitments.commitSecret(round + 2, peerKeys[index], "secret") {
            if (round + 2 < countsFrom[index]) ++early;
        } catch {
            require(holders[index] == address(0) || round + 2 < countsFrom[index], "a good secret was refused");
        }
    }

    /// @dev A proof that names one account, in the hands of another.
    function steal(uint256 draw) external {
        address account = accountNamed((draw >> 8) % ACCOUNTS);
        address thief = accountNamed(ACCOUNTS + ((draw >> 16) % ACCOUNTS));
        _isSubmitting = true;
        try this.submit(draw % PEERS, account, thief) {
            ++stolen;
        } catch {}
        _isSubmitting = false;
    }

    function submit(uint256 index, address named, address sender) external returns (bytes32 peerKey) {
        // The runner calls every function of a handler, even in the handler's own name.
        if (!_isSubmitting) return 0;
        if (index == PEERS - 1) {
            uint256 nonce = registry.nonces(named);
            bytes32 words = digestOf(address(registry), RsaKey.protobuf(), named, nonce, block.timestamp);
            bytes memory rsaSignature = RsaKey.sign(abi.encode(words));
            vm.prank(sender);
            return registry.registerRsa(RsaKey.MODULUS, RsaKey.EXPONENT, rsaSignature, block.timestamp);
        }
        bytes memory signature = proofOf(_wallets[index], named, block.timestamp);
        vm.prank(sender);
        return registry.register(_wallets[index].publicKey, signature, block.timestamp);
    }

    function accountAt(uint256 index) external pure returns (address account) {
        return accountNamed(index);
    }
}

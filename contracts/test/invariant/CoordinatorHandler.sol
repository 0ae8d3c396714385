// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {PeerRegistry} from "../../src/PeerRegistry.sol";
import {SwarmCoordinator} from "../../src/SwarmCoordinator.sol";
import {SwarmFixture} from "../SwarmFixture.sol";

/// @dev Claims, proofs, rewards and winners of a few accounts at random; the ids are those of real keys, so that
/// proofs and claims meet. Keeps its own books.
contract CoordinatorHandler is SwarmFixture {
    uint256 public constant ACCOUNTS = 3;
    uint256 public constant PEERS = 4;

    SwarmCoordinator internal _coordinator;
    Wallet[] internal _wallets;
    string[] public peerIds;

    mapping(uint256 index => address account) public claimant;
    mapping(uint256 index => address account) public prover;
    mapping(uint256 index => int256 sum) public total;
    mapping(uint256 index => uint256 count) public wins;
    mapping(uint256 round => mapping(uint256 index => bool)) public rewarded;
    uint256 public rewards;
    uint256 public slipped;

    constructor(PeerRegistry registry_, SwarmCoordinator coordinator, string[] memory peerIds_) {
        registry = registry_;
        _coordinator = coordinator;
        peerIds = peerIds_;
        for (uint256 i = 0; i < PEERS; ++i) _wallets.push(walletOf(i + 1));
    }

    /// @dev Not the fixture's: the runner calls every function of a handler.
    function setUp() public override {}

    function claim(uint256 draw) external {
        (uint256 index, address account) = pick(draw);
        bool free = holderOf(index) == address(0);
        vm.prank(account);
        try _coordinator.registerPeer(peerIds[index]) {
            if (!free) ++slipped;
            claimant[index] = account;
        } catch {
            require(!free, "a free id was refused");
        }
    }

    function prove(uint256 draw) external {
        (uint256 index, address account) = pick(draw);
        if (prover[index] == account) return;
        bytes memory signature = proofOf(_wallets[index], account, block.timestamp);
        vm.prank(account);
        registry.register(_wallets[index].publicKey, signature, block.timestamp);
        prover[index] = account;
    }

    function report(uint256 draw, int128 reward) external {
        (uint256 index, address account) = pick(draw);
        uint256 round = _coordinator.currentRound();
        bool allowed = holderOf(index) == account && !rewarded[round][index];
        vm.prank(account);
        try _coordinator.submitReward(round, 0, int256(reward), peerIds[index]) {
            if (!allowed) ++slipped;
            rewarded[round][index] = true;
            total[index] += reward;
            ++rewards;
        } catch {
            require(!allowed, "a good report was refused");
        }
    }

    function vote(uint256 draw) external {
        (uint256 index, address account) = pick(draw);
        uint256 winner = (draw >> 32) % PEERS;
        uint256 round = _coordinator.currentRound();
        bool allowed = holderOf(index) == account && _coordinator.getVoterVotes(round, peerIds[index]).length == 0;
        string[] memory winners = new string[](1);
        winners[0] = peerIds[winner];
        vm.prank(account);
        try _coordinator.submitWinners(round, winners, peerIds[index]) {
            if (!allowed) ++slipped;
            ++wins[winner];
        } catch {
            require(!allowed, "a good vote was refused");
        }
    }

    function advance(uint256 draw) external {
        address caller = accountNamed(draw % (ACCOUNTS + 1));
        if (draw % (ACCOUNTS + 1) == ACCOUNTS) caller = address(this);
        vm.prank(caller);
        try _coordinator.updateStageAndRound() {
            if (caller != address(this)) ++slipped;
        } catch {
            require(caller != address(this), "the stage manager was refused");
        }
    }

    function holderOf(uint256 index) public view returns (address holder) {
        return prover[index] == address(0) ? claimant[index] : prover[index];
    }

    function accountAt(uint256 index) external pure returns (address account) {
        return accountNamed(index);
    }

    function pick(uint256 draw) internal pure returns (uint256 index, address account) {
        return (draw % PEERS, accountNamed((draw >> 16) % ACCOUNTS));
    }
}

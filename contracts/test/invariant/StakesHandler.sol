// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {PeerRegistry} from "../../src/PeerRegistry.sol";
import {RewardVotes} from "../../src/RewardVotes.sol";
import {Rounds} from "../../src/Rounds.sol";
import {Stakes} from "../../src/Stakes.sol";
import {IStakes} from "../../src/interfaces/IStakes.sol";
import {TestToken} from "../market/MarketDoubles.sol";
import {TestBase} from "../TestBase.sol";

/// @dev Peers that stake, leave and come back, votes that slash at random, and strangers that try all of
/// it; with its own books.
contract StakesHandler is TestBase {
    struct Parts {
        PeerRegistry registry;
        Rounds rounds;
        RewardVotes votes;
        TestToken token;
        Stakes stakes;
    }

    Parts internal parts;
    bytes32[] public peers;

    mapping(IStakes.Duty duty => mapping(bytes32 peerKey => uint256)) public expectedWei;
    mapping(IStakes.Duty duty => mapping(bytes32 peerKey => uint64)) public freeFrom;
    uint256 public burnt;
    uint256 public slipped;
    uint256 public withdrawals;
    uint256 public slashes;
    uint256 public refused;

    constructor(Parts memory parts_, bytes32[] memory peers_) {
        parts = parts_;
        peers = peers_;
    }

    function pass(uint256 draw) external {
        uint64 rounds = uint64(draw % 8) < 3 ? uint64(draw % 3) : uint64((draw >> 8) % 15);
        vm.warp(parts.rounds.startOf(parts.rounds.currentRound() + rounds));
    }

    function stake(uint256 draw) external {
        (IStakes.Duty duty, bytes32 peer, address account) = pick(draw);
        uint256 missing = parts.stakes.fullStakeOf(duty) - expectedWei[duty][peer];
        bool owns = parts.registry.accountOf(peer) == account;
        bool allowed = owns && (missing != 0 || freeFrom[duty][peer] != 0);
        if (parts.token.balanceOf(account) < missing) allowed = false;
        vm.prank(account);
        try parts.stakes.stake(duty, peer) {
            note(allowed);
            expectedWei[duty][peer] += missing;
            freeFrom[duty][peer] = 0;
        } catch {
            require(!allowed, "a good stake was refused");
            ++refused;
        }
    }

    function unstake(uint256 draw) external {
        (IStakes.Duty duty, bytes32 peer, address account) = pick(draw);
        bool allowed =
            parts.registry.accountOf(peer) == account && expectedWei[duty][peer] != 0 && freeFrom[duty][peer] == 0;
        uint64 free = parts.rounds.firstOpenRound() + 12;
        vm.prank(account);
        try parts.stakes.unstake(duty, peer) {
            note(allowed);
            freeFrom[duty][peer] = free;
        } catch {
            require(!allowed, "a good notice was refused");
            ++refused;
        }
    }

    function withdraw(uint256 draw) external {
        (IStakes.Duty duty, bytes32 peer, ) = pick(draw);
        uint64 current = parts.rounds.currentRound();
        uint64 free = freeFrom[duty][peer];
        bool allowed = free != 0 && current >= free && expectedWei[duty][peer] != 0;
        address owner = parts.registry.accountOf(peer);
        uint256 before = parts.token.balanceOf(owner);
        try parts.stakes.withdraw(duty, peer) {
            note(allowed && parts.token.balanceOf(owner) - before == expectedWei[duty][peer]);
            (expectedWei[duty][peer], freeFrom[duty][peer]) = (0, 0);
            ++withdrawals;
        } catch {
            require(!allowed, "a good withdrawal was refused");
            ++refused;
        }
    }

    function slash(uint256 draw) external {
        (IStakes.Duty duty, bytes32 peer, address account) = pick(draw);
        bool allowed = draw % 5 != 0;
        uint16 milli = uint16((draw >> 32) % 700);
        uint256 lost = (parts.stakes.fullStakeOf(duty) * milli) / 1000;
        if (lost > expectedWei[duty][peer]) lost = expectedWei[duty][peer];
        address wronged = (draw >> 56) % 2 == 0 ? address(0) : parts.registry.accountOf(peers[0]);
        uint256 paid = wronged == address(0) ? 0 : lost / 2;
        uint256 before = parts.token.balanceOf(parts.registry.accountOf(peers[0]));
        vm.prank(allowed ? address(parts.votes) : account);
        try parts.stakes.slash(duty, peer, milli, wronged) returns (uint256 lostWei) {
            note(allowed && lostWei == lost);
            note(parts.token.balanceOf(parts.registry.accountOf(peers[0])) - before == paid);
            expectedWei[duty][peer] -= lost;
            burnt += lost - paid;
            ++slashes;
        } catch {
            require(!allowed, "a good slash was refused");
            ++refused;
        }
    }

    /// @dev Calls that only the deployer, once, or the contract of stakes may make.
    function trespass(uint256 draw) external {
        (, bytes32 peer, address account) = pick(draw);
        vm.prank(account);
        try parts.stakes.wire(address(this), address(this), address(this), address(this)) {
            ++slipped;
        } catch {
            ++refused;
        }
        vm.prank(account);
        try parts.votes.takeSeat(peer) {
            ++slipped;
        } catch {
            ++refused;
        }
        vm.prank(account);
        try parts.votes.leaveSeat(peer) {
            ++slipped;
        } catch {
            ++refused;
        }
    }

    function peerCount() external view returns (uint256 count) {
        return peers.length;
    }

    /// @dev A duty, a peer, and mostly the peer's account.
    function pick(uint256 draw) internal view returns (IStakes.Duty duty, bytes32 peer, address account) {
        duty = IStakes.Duty((draw >> 64) % 2);
        peer = peers[(draw >> 72) % peers.length];
        account = parts.registry.accountOf(peers[(draw >> ((draw >> 80) % 6 == 0 ? 96 : 72)) % peers.length]);
    }

    function note(bool allowed) internal {
        if (!allowed) ++slipped;
    }
}
